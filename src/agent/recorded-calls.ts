import { hashInput } from "../core/base/hash.ts";
import { toolResultsOf, toolUsesOf } from "../core/message/msg.ts";
import type { Msg, ToolUseBlock } from "../core/message/types.ts";

/** The parts of a call that say which one it is in another run of the same session. */
export type AskedCall = Pick<ToolUseBlock, "name" | "input">;

const keyOf = ({ name, input }: AskedCall): string => `${name} ${hashInput(input)}`;

/** The calls of a recording, of which each is one call of a run that repeats it. */
export class RecordedCalls {
  /** The recorded calls that were not made again yet, by tool and arguments. */
  readonly #left = new Map<string, string[]>();
  /** The recorded call for each call of the run. */
  readonly #pairs = new Map<string, string | undefined>();

  /** `known` are the messages with which the run begins, or with which another process goes on. What they ask for with the same arguments is
   *  the same call. A call of the run itself has had the next recorded one. */
  constructor(calls: ReadonlyMap<string, ToolUseBlock>, known: readonly Msg[]) {
    const answered = new Set(known.flatMap(toolResultsOf).map(({ id }) => id));
    for (const call of known.flatMap(toolUsesOf)) {
      const recorded = calls.get(call.id);
      if (recorded && (answered.has(call.id) || keyOf(recorded) === keyOf(call)))
        this.#pairs.set(call.id, call.id);
    }
    for (const call of calls.values()) {
      if (answered.has(call.id) || this.#pairs.has(call.id)) continue;
      const key = keyOf(call);
      this.#left.set(key, [...(this.#left.get(key) ?? []), call.id]);
    }
    for (const call of known.flatMap(toolUsesOf))
      if (!calls.has(call.id) && answered.has(call.id)) this.recordedOf(call.id, call);
  }

  /** The recorded call that a call of the run is: that with its id, else the next one of this tool with these arguments. */
  recordedOf(callId: string, call: AskedCall): string | undefined {
    if (this.#pairs.has(callId)) return this.#pairs.get(callId);
    const left = this.#left.get(keyOf(call)) ?? [];
    const own = left.includes(callId) ? callId : left[0];
    this.#left.set(
      keyOf(call),
      left.filter((id) => id !== own),
    );
    this.#pairs.set(callId, own);
    return own;
  }
}
