import { compact } from "../logic/format.ts";
import { t } from "./t.ts";

/** Formats the length of a text. */
export const characters = (length: number): string =>
  length === 1 ? t("1 character") : t`${compact(length)} characters`;
