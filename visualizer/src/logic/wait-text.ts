import type { PendingItem } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The condition for which an open call waits, to be displayed after its name. */
export const WAIT_TEXT: { readonly [kind in PendingItem["waitsFor"]]: string } = {
  approval: t("needs approval"),
  answer: t("asks a question"),
  externalResult: t("needs an answer"),
  stopRequested: t("was stopped before it ran"),
  unknownOutcome: t("may have run; its outcome is unknown"),
};
