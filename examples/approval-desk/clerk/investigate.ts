import type { Parcel } from "../tools/orders.ts";
import { languageOf } from "./language.ts";
import type { Move, Turn } from "./move.ts";
import { readWishes } from "./wishes.ts";
import { WORDS } from "./words.ts";

/** Returns the next answer of the investigator by rules: track the parcel and count the claims, then report. */
export function investigate({ said, steps }: Turn): Move {
  const language = languageOf(said.join(""));
  const words = WORDS[language];
  const { orderId = "" } = readWishes(said.map((text) => text.split(":")[0]!));
  if (steps.length === 0)
    return {
      think: words.compares,
      say: "",
      calls: ["track_parcel", "count_claims"].map((tool) => ({ tool, input: { orderId } })),
    };
  const failed = steps.find(({ isDone }) => !isDone);
  if (failed) return { say: failed.text };
  const [parcel, past] = steps.map(({ text }) => JSON.parse(text) as unknown);
  const { deliveredOn, note } = parcel as Parcel;
  const { claims } = past as { readonly claims: number };
  return { say: words.report({ deliveredOn, note: note[language], claims }) };
}
