/** The comparisons of arguments. */
export const OPERATORS = ["=", "!=", ">", ">=", "<", "<=", "contains", "exists"] as const;

/** A test of one argument. `path` names it, with dots between keys and indexes. `contains` is about a text or a list. A value that is
 *  missing, or of another type, passes `!=` only. */
export type ArgumentTest = {
  readonly path: string;
  readonly is: (typeof OPERATORS)[number];
  /** The value that is compared; absent with `exists`. */
  readonly value?: string | number | boolean | null | undefined;
};

/** A condition about a call that a model asks for: all that it names must hold, and it names at least one thing. It is data, never code.
 *  `state`, `edge`, `guard` and `hook` are about the steps since the session rested last. Names are patterns, in which `*` stands for any
 *  characters and `?` for one. */
export type Breakpoint = {
  /** The path of a state that was entered, such as `reasoning.backingOff`, or `reasoning` when it was entered from outside. */
  readonly state?: string | undefined;
  /** An edge that was taken: the state that it left, or one around it, a state that it entered, and its event as XState names it. */
  readonly edge?:
    | {
        readonly from?: string | undefined;
        readonly to?: string | undefined;
        readonly on?: string | undefined;
      }
    | undefined;
  /** A guard that was judged, such as `mustCompact` or `listens(postCall)`, and the result. Guards behind the branch that was taken are not
   *  judged. */
  readonly guard?: { readonly name: string; readonly is: boolean } | undefined;
  /** A change that a hook made: its name, the hook point, and the changed part. That is `input`, `system`, `pieces` (the messages), `options`,
   *  `tools`, `result`, `answer`, `deny` of a call, `stop`, or `goto`. */
  readonly hook?:
    | {
        readonly name?: string | undefined;
        readonly point?: string | undefined;
        readonly changed?: string | undefined;
      }
    | undefined;
  /** The name of the tool, in which `*` stands for any characters and `?` for one. */
  readonly tool?: string | undefined;
  /** The tests of its arguments; all of them pass. */
  readonly where?: readonly ArgumentTest[] | undefined;
  /** The call is at least the n-th of the turn with this tool and these arguments, from 2. */
  readonly same?: number | undefined;
  /** The answers of the turn so far have taken at least so many tokens, those of the prompts included. */
  readonly tokens?: number | undefined;
  /** The answers of the turn so far have cost at least this, in the currency of the `modelOptions.prices` option. */
  readonly cost?: number | undefined;
};

/** The beginning of the reason for which a call waits at a breakpoint. */
export const BREAKPOINT_REASON = "Breakpoint: ";

/** Returns a breakpoint in words, such as `refund, cents > 5000`. */
export function breakpointText(breakpoint: Breakpoint): string {
  const { state, edge, guard, hook, tool, where = [], same, tokens, cost } = breakpoint;
  const shown = (value: ArgumentTest["value"]): string =>
    value === undefined ? "" : ` ${JSON.stringify(value)}`;
  return [
    ...(state === undefined ? [] : [`state ${state}`]),
    ...(edge
      ? [`edge ${edge.from ?? "*"} → ${edge.to ?? "*"}${edge.on === undefined ? "" : ` on ${edge.on}`}`]
      : []),
    ...(guard ? [`guard ${guard.name} ${guard.is}`] : []),
    ...(hook ? [`hook ${hook.name ?? "*"} changed ${hook.changed ?? "*"} in ${hook.point ?? "*"}`] : []),
    ...(tool === undefined ? [] : [tool]),
    ...where.map(({ path, is, value }) => `${path} ${is}${shown(value)}`),
    ...(same === undefined ? [] : [`the same call ${same} times`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens or more`]),
    ...(cost === undefined ? [] : [`cost ${cost} or more`]),
  ].join(", ");
}
