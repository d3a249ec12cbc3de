// src/core/tool defines tools, toolkits and slots, checks the input of tools, and runs one attempt of a call.
import type { Execution, ToolSpec } from "../model/port.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { MediaBlock, TextBlock, ToolResultBlock } from "../message/types.ts";
import type { AnyCall, Ask, Decision } from "./pending.ts";

/** The part of the Standard Schema interface (standardschema.dev, version 1) that tools use. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** zod, any Standard Schema that can give JSON Schema, or JSON Schema 2020-12 itself. */
export type Schema = StandardSchema | JsonObject;

/** The parsed value of a schema. */
export type OutputOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer O } | undefined };
}
  ? O
  : S extends JsonObject
    ? JsonObject
    : undefined;

/** A named value that belongs to a session: it is stored, restored, forked and shown with it. Made by {@link defineSlot}. */
export type Slot<T = unknown> = {
  readonly name: string;
  readonly initial: T;
  readonly version: number;
  readonly migrate?: ((value: Json, version: number) => T) | undefined;
  readonly schema?: Schema | undefined;
  /** True if clients may write it, too; absent means that they may not. */
  readonly writableByClients?: boolean | undefined;
};

/** The values that a tool or a hook writes besides what it returns: new values of the slots in its `writes`, by name. */
export type SlotWrites = { readonly [name: string]: string | number | boolean | null | JsonSource };

/** Reads the slots of the session. */
export type SlotReader = {
  /** Returns the value, deeply frozen; `initial` if the session has none. Throws `slot/version` for a value of a newer version, and
   *  for one of an older version that the slot cannot migrate. */
  get<T>(slot: Slot<T>): T;
};

/** The context of a running call. */
export type ToolContext<Ctx = unknown> = {
  readonly callId: string;
  /** The same for every attempt of one call, also of one that goes on: hand it to systems that must not act twice. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborts on interrupt, time-out, shutdown and close. */
  readonly signal: AbortSignal;
  /** Epoch ms at which the call is given up. */
  readonly deadlineAt: number;
  /** The agent's or the call's `context`; never stored. */
  readonly context: Ctx;
  readonly sessionId: string;
  /** The slots of the session, as they were when the attempt began. */
  readonly slots: SlotReader;
  /** There if the call was suspended with `then: "resume"` and goes on. */
  readonly resumed?: Resumed | undefined;
  /** W3C `traceparent` of the span in which the call runs, for systems that it calls; absent if the turn is not traced. */
  readonly traceparent?: string | undefined;
  /** Reports progress: an `actingChunk` for hooks and a `tool.delta` for streams. Not part of the result. */
  emit(chunk: string | TextBlock | MediaBlock): void;
};

/** The context of any tool. */
export type AnyToolContext = ToolContext<never>;

/** The data that a call that goes on has of its last run: what it remembered, and what its questions were answered, by their ids. */
export type Resumed = {
  readonly state: Json;
  readonly answers: { readonly [askId: string]: Decision };
  /** The number of times that the call has been suspended: 1 when it goes on for the first time. */
  readonly round: number;
};

/** The answer is not there yet: something outside will give it. Made by {@link suspend}. */
export type Suspension = {
  readonly suspended: true;
  readonly reason?: string | undefined;
  readonly answerSchema?: JsonObject | undefined;
  /** `resume`: the tool runs again, with `state` and the answers to `asks`. Default `result`: the answer is the result. */
  readonly then?: "result" | "resume" | undefined;
  readonly state?: Json | undefined;
  readonly asks?: readonly Ask[] | undefined;
};

/** A result with media, metadata, an error state, or new values of slots. */
export type ToolOutcome = {
  readonly output: readonly (TextBlock | MediaBlock)[];
  readonly state?: "success" | "error" | undefined;
  readonly metadata?: JsonObject | undefined;
  /** New values of the slots in the tool's `writes`, stored together with the result. A value that a slot does not take makes the
   *  result an error, and then none is stored. */
  readonly slots?: SlotWrites | undefined;
};

/** An object whose JSON says what it holds: an interface, an array, a `Date`, an instance of a class, or anything with `toJSON`. The
 *  symbols leave out what has no such JSON: a `Map` or a `Promise`, a function, and a generator. */
export type JsonSource =
  | (object & {
      readonly [Symbol.toStringTag]?: never;
      readonly [Symbol.hasInstance]?: never;
      readonly [Symbol.asyncIterator]?: never;
    })
  | { toJSON(): unknown };

/** A string is stored verbatim, any other value as its JSON text. `undefined` does not type-check and is an error result at
 *  run time: return at least "ok". */
export type ToolReturn = string | number | boolean | null | JsonSource | ToolOutcome | Suspension;

export type PermissionAction = "allow" | "ask" | "deny";

/** The source of tools that may be others later, such as an MCP server. An agent takes the present ones when a turn begins. */
export type ToolSource = {
  /** Another number whenever the tools are others. */
  readonly version: number;
  /** The version of the tools that were given away with this source. */
  readonly since: number;
  /** Returns the present tools, with this very object as their `source`. */
  tools(): readonly AnyTool[];
  /** Called with the reason if an agent cannot take a tool. */
  refused?(name: string, reason: string): void;
};

/** A tool as an agent holds it. Made by {@link defineTool}, which knows its `Name` and what the model has to write for it. */
export type Tool<Ctx = unknown, Name extends string = string, Arguments = unknown> = ToolSpec & {
  readonly name: Name;
  /** For the compiler only: never there. */
  readonly "~arguments"?: Arguments | undefined;
  /** True if the tool has no `execute`: a call of it suspends the turn. */
  readonly external: boolean;
  readonly execute?: ((input: never, ctx: ToolContext<Ctx>) => unknown) | undefined;
  /** The schema that parses the input; absent for plain JSON Schema. */
  readonly schema?: StandardSchema | undefined;
  readonly groups: readonly string[];
  readonly preset: JsonObject;
  readonly maxParallel?: number | undefined;
  readonly execution?: Execution | undefined;
  readonly permission?: PermissionAction | ((input: never, ctx: Ctx) => PermissionAction) | undefined;
  readonly onRestart: "retry" | "ask" | "fail";
  /** The slots that a call may write. */
  readonly writes?: readonly Slot[] | undefined;
  /** Whether the model has to search for the tool; undefined: if the tools of the agent are too many. */
  readonly deferred?: boolean | undefined;
  /** The source of the tool, if it may be another one later. */
  readonly source?: ToolSource | undefined;
};

/** A tool for any context. */
export type AnyTool = Tool<never>;

/** A named set of tools that can be switched on and off together. */
export type Group = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly active?: boolean | undefined;
};

/** Options of {@link createToolkit}. */
export type ToolkitOptions<Ctx = unknown> = {
  readonly tools?: readonly Tool<Ctx>[] | undefined;
  readonly groups?: readonly Group[] | undefined;
  /** If true, the model may choose the active groups by the tool `reset_equipped_tools`; default false. */
  readonly metaTool?: boolean | undefined;
};

/** An agent works on its own copy; active groups and changed presets belong to the session. `Calls` are those of the tools that it was
 *  created with, see {@link CallsOf}. */
export interface Toolkit<Ctx = unknown, Calls extends AnyCall = AnyCall> {
  /** For the compiler only: never there. */
  readonly "~calls"?: Calls | undefined;
  names(): string[];
  /** Throws `tool/duplicate` if the name is taken and `tool/unknown-group` for a group that was not added. */
  add(tool: Tool<Ctx>): void;
  /** False if there was no such tool. */
  remove(name: string): boolean;
  /** Throws `tool/duplicate` if the group exists. */
  addGroup(group: Group): void;
  /** Throws `tool/unknown-group`; then nothing has changed. */
  setGroups(change: {
    readonly activate?: readonly string[] | undefined;
    readonly deactivate?: readonly string[] | undefined;
  }): void;
  activeGroups(): string[];
  /** Replaces the presets of a tool. Throws `tool/unknown`, and `config/invalid` for one that its schema refuses. */
  setPreset(tool: string, values: JsonObject): void;
  /** One attempt; a failing tool is a result and not an exception. It belongs to no session: slots have their initial values, and what
   *  is written into them is checked and dropped. */
  invoke(
    name: string,
    input: JsonObject,
    options?: { readonly signal?: AbortSignal | undefined; readonly context?: Ctx | undefined },
  ): Promise<ToolResultBlock>;
}

/** A toolkit for any context. */
export type AnyToolkit = Toolkit<never>;

/** The value that `execute` gets, and the arguments from which it was parsed. */
export type ParsedInput = {
  /** The output of the tool's schema: any value, not only JSON. */
  readonly value: unknown;
  /** The hash of the arguments, presets included. */
  readonly argsHash: string;
  /** The schema that parsed them. */
  readonly schema: object;
};

/** A parsed input, or the error result that the model reads. */
export type PreparedInput = ParsedInput | { readonly result: ToolResultBlock };

/** As {@link PreparedInput}, without the hash if nothing is bound to the arguments. */
export type CallInput =
  | (Pick<ParsedInput, "value"> & Partial<ParsedInput>)
  | { readonly result: ToolResultBlock };
