import type { ToolUseBlock } from "../../core/message/types.ts";
import {
  parseInput,
  prepareInput,
  type CallInput,
  type ParsedInput,
  type PreparedInput,
} from "../../core/tool/prepare-input.ts";
import type { AnyTool } from "../../core/tool/types.ts";

/** The object that knows the calls of a session. */
export type OpenCalls = {
  /** Returns whether a call still waits for its result. */
  isOpen(callId: string): boolean;
};

/**
 * The parsed inputs of calls that wait for their execution.
 *
 * An input is parsed at most once per attempt. Review parses it and keeps the value, unless the call is allowed whatever its
 * arguments are; the first attempt takes the value out, or parses the input. A later attempt parses the input again, so that
 * it never sees what a former attempt did to its input. A value belongs to the arguments and the schema it was parsed with:
 * edited arguments, changed presets and a replaced tool are parsed again.
 *
 * A parsed input may be anything, not only JSON, so it stays in this process: after a restore, the input is parsed once
 * more. A value is dropped when its call has its result.
 */
export class ParsedInputs {
  #values: Map<string, ParsedInput> | undefined;
  readonly #calls: OpenCalls;

  constructor(calls: OpenCalls) {
    this.#calls = calls;
  }

  /** For review: parses the input of a call and keeps the value. Parses nothing if the value of these arguments is kept. */
  async prepare(tool: AnyTool, call: ToolUseBlock): Promise<PreparedInput> {
    const prepared = await prepareInput(tool, call, this.#values?.get(call.id));
    if ("value" in prepared && this.#calls.isOpen(call.id))
      (this.#values ??= new Map()).set(call.id, prepared);
    return prepared;
  }

  /** For one attempt: takes out the kept value, or parses the input. With `isBound` it has the hash of its arguments. */
  async take(tool: AnyTool, call: ToolUseBlock, isBound: boolean): Promise<CallInput> {
    const kept = this.#values?.get(call.id);
    this.#values?.delete(call.id);
    return kept || isBound ? prepareInput(tool, call, kept) : parseInput(tool, call);
  }

  /** Drops the values of calls that have their result. */
  prune(): void {
    for (const callId of this.#values?.keys() ?? [])
      if (!this.#calls.isOpen(callId)) this.#values?.delete(callId);
  }

  /** Drops all values. */
  clear(): void {
    this.#values = undefined;
  }
}
