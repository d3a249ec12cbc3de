import type { Json } from "../../../core/base/json.ts";

/** A condition about the arguments of the call that is judged. */
export type Condition =
  | { readonly kind: "compare"; readonly path: readonly string[]; readonly by: string; readonly value: Json }
  | { readonly kind: "and" | "or"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition };

/** A pattern of past calls. */
export type Pattern = {
  readonly action: string;
  /** `response` for calls that have returned, `request` for calls that were asked for. */
  readonly event: string;
  /** The argument of the past call, and that of the call that is judged, which must be the same. */
  readonly same: readonly (readonly [past: readonly string[], now: readonly string[]])[];
  /** The arguments of the past call that must be this value. */
  readonly is: readonly (readonly [path: readonly string[], value: Json])[];
  readonly at: number;
};

/** A condition about the past: such a call has happened within the window, or so many have. */
export type Past = {
  readonly pattern: Pattern;
  readonly within: string;
  /** True if it has to be false. */
  readonly isNot: boolean;
  /** The number of calls is compared with this one; absent: there is one at all. */
  readonly count?: { readonly by: string; readonly than: number };
  readonly at: number;
};

/** A policy of the part of the language that is read. */
export type Policy = {
  readonly effect: "permit" | "forbid";
  readonly id: string | undefined;
  readonly description: string | undefined;
  /** The actions that it is about; absent: all. */
  readonly actions: readonly string[] | undefined;
  readonly conditions: readonly Condition[];
  readonly past: readonly Past[];
  readonly at: number;
};
