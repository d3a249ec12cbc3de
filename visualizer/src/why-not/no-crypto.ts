import { t } from "../words/t.ts";

/** Stands for `node:crypto` in the page: guards that compare digests of arguments cannot be judged there. */
export default {
  hash(): never {
    throw new Error(t("The page has no node:crypto."));
  },
};
