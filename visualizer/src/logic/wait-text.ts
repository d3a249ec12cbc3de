import type { PendingItem } from "../wire/types.ts";

/** The condition for which an open call waits, to be displayed after its name. */
export const WAIT_TEXT: { readonly [kind in PendingItem["waitsFor"]]: string } = {
  approval: "needs approval",
  answer: "asks a question",
  externalResult: "needs an answer",
  stopRequested: "was stopped before it ran",
  unknownOutcome: "may have run; its outcome is unknown",
};
