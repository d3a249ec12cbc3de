import type { PendingItem } from "../wire/types.ts";

/** What a call does that waits for somebody, after its name. */
export const ASKS: { readonly [kind in PendingItem["waitsFor"]]: string } = {
  approval: "wants to run",
  externalResult: "waits for an answer",
  stopRequested: "was stopped before it ran",
  unknownOutcome: "may have run: its outcome is not known",
};
