import type { Comparison, Cue } from "./lexicon.ts";
import type { Naming, ValueOf } from "./phrases.ts";
import type { Operand } from "./read-operand.ts";
import type { TimeSpan } from "./read-time.ts";

/** A piece of a question and what it means. */
export type Token = { readonly text: string } & (
  | Cue
  | ({ readonly kind: "name" } & Naming)
  | { readonly kind: "value"; readonly values: readonly ValueOf[] }
  | { readonly kind: "top"; readonly count: number; readonly descending: boolean }
  | { readonly kind: "time"; readonly time: TimeSpan }
  | { readonly kind: "literal"; readonly literal: string | number }
  | {
      readonly kind: "filter";
      readonly naming: Naming;
      readonly comparison: Comparison;
      readonly operands: readonly Operand[];
    }
  | { readonly kind: "break" }
  | { readonly kind: "word" }
);

export type NameToken = Extract<Token, { kind: "name" }>;

export function isName(token: Token | undefined): token is NameToken {
  return token?.kind === "name";
}
