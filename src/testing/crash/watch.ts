import { hrtime } from "node:process";
import { isAgentTool } from "../../agent/services/run-call.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { messageOf } from "../../core/base/error.ts";
import { isSame, isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { AnyTool, AnyToolContext } from "../../core/tool/types.ts";
import { agentBehind } from "../../kit/team/nesting.ts";
import type { Ledger, NotedResult, NotedRun } from "./ledger.ts";
import type { Tape } from "./tape.ts";
import type { CrashRelease } from "./types.ts";

/** The watcher of the calls of a process. */
export type Watch = {
  readonly ledger: Ledger;
  readonly tape: Tape;
  /** Called at each instant at which the process may die. */
  readonly instant: (id: string, label: string) => void;
  /** The tool that is called twice. */
  readonly repeat?: string | undefined;
  readonly release?: Exclude<CrashRelease, "file"> | undefined;
};

type Mutable = { -readonly [Key in keyof AnyAgentConfig]: AnyAgentConfig[Key] };

/** The configuration with watched tools and models, its agents behind tools too. Returns also what is not watched. */
export function watchedConfig(
  config: AnyAgentConfig,
  watch: Watch,
): { readonly config: AnyAgentConfig; readonly unwatched: readonly string[] } {
  const unwatched: string[] = [];
  const watched = new Watcher(watch, unwatched).config(config);
  return { config: released(watched, watch.release), unwatched };
}

class Watcher {
  readonly #watch: Watch;
  readonly #unwatched: string[];
  readonly #counts = new Map<string, number>();
  readonly #seen = new Set<object>();

  constructor(watch: Watch, unwatched: string[]) {
    this.#watch = watch;
    this.#unwatched = unwatched;
  }

  config(config: AnyAgentConfig): AnyAgentConfig {
    const { name, model, tools, toolkit, hooks, personas, modelOptions } = config;
    const { tape } = this.#watch;
    if (toolkit) this.#unwatched.push(`the tools of the toolkit of '${name}'`);
    for (const hook of hooks ?? [])
      if (hook.tools?.length) this.#unwatched.push(`the tools of the hook '${hook.name}'`);
    return {
      ...config,
      model: tape.model(name, model),
      ...(tools && { tools: tools.map((tool) => this.#tool(tool)) }),
      ...(personas && {
        personas: Object.fromEntries(
          Object.entries(personas).map(([key, persona]) => [
            key,
            {
              ...persona,
              ...(persona.model && { model: tape.model(key, persona.model) }),
              ...(persona.tools && { tools: persona.tools.map((tool) => this.#tool(tool)) }),
            },
          ]),
        ),
      }),
      ...(modelOptions?.fallbackModel && {
        modelOptions: { ...modelOptions, fallbackModel: tape.model(name, modelOptions.fallbackModel) },
      }),
    };
  }

  #tool(tool: AnyTool): AnyTool {
    const { execute } = tool;
    if (!execute) return tool;
    if (!isAgentTool(tool)) return { ...tool, execute: this.#execute(tool, execute as Execute) };
    const inner = agentBehind(execute);
    if (inner) this.#inPlace(inner as unknown as Mutable);
    else this.#unwatched.push(`the tools of the agents of '${tool.name}'`);
    return tool;
  }

  /** An agent behind a tool is known to the tool alone: its configuration is changed where it is. */
  #inPlace(inner: Mutable): void {
    if (this.#seen.has(inner)) return;
    this.#seen.add(inner);
    if (Object.isFrozen(inner)) this.#unwatched.push(`the tools of '${inner.name}', which is frozen`);
    else Object.assign(inner, this.config(inner as AnyAgentConfig));
  }

  #execute({ name, onRestart, external }: AnyTool, execute: Execute): NonNullable<AnyTool["execute"]> {
    const { ledger, instant, repeat } = this.#watch;
    const isRepeated = repeat === name && !external;
    const begin = (input: JsonObject, ctx: AnyToolContext) => {
      const number = (this.#counts.get(name) ?? 0) + 1;
      this.#counts.set(name, number);
      const { callId, sessionId, idempotencyKey: key } = ctx;
      const isIdempotent = onRestart === "retry";
      const run: NotedRun = { tool: name, callId, sessionId, key, input, isIdempotent };
      instant(`tool:${name}:${number}:before`, `before ${name} acts`);
      ledger.write({ note: "begin", ...run });
      const since = hrtime.bigint();
      return (result: NotedResult): void => {
        ledger.write({ note: "end", ms: Number(hrtime.bigint() - since) / 1e6, ...run, ...result });
        instant(`tool:${name}:${number}:after`, `after ${name} has acted, before its result is recorded`);
      };
    };
    const repeated = (first: NotedResult, second: NotedResult): void =>
      ledger.write({ note: "repeated", tool: name, isSame: isSame(first, second) });
    const watched = (input: JsonObject, ctx: AnyToolContext): unknown => {
      const end = begin(input, ctx);
      let made: unknown;
      try {
        made = execute(input as never, ctx as never);
      } catch (error) {
        end({ error: messageOf(error) });
        throw error;
      }
      const settle = async (returned: unknown): Promise<unknown> => {
        const noted = resultOf(returned);
        if (isRepeated && noted) repeated(noted, await again(execute, input, ctx));
        if (noted) end(noted);
        return returned;
      };
      if (isGenerator(made)) return generated(made, settle, end);
      return Promise.resolve(made).then(settle, (error: unknown) => {
        end({ error: messageOf(error) });
        throw error;
      });
    };
    return watched as NonNullable<AnyTool["execute"]>;
  }
}

type Execute = (input: never, ctx: never) => unknown;
type Generator = AsyncGenerator<string, unknown>;

const isGenerator = (value: unknown): value is Generator => isObject(value) && Symbol.asyncIterator in value;

async function* generated(
  made: Generator,
  settle: (returned: unknown) => Promise<unknown>,
  end: (result: NotedResult) => void,
): Generator {
  let returned: unknown;
  try {
    returned = yield* made;
  } catch (error) {
    end({ error: messageOf(error) });
    throw error;
  }
  return settle(returned);
}

/** Calls a tool once more with the same key. */
async function again(execute: Execute, input: JsonObject, ctx: AnyToolContext): Promise<NotedResult> {
  try {
    let made = execute(input as never, ctx as never);
    if (isGenerator(made)) {
      for (;;) {
        const step = await made.next();
        if (!step.done) continue;
        made = step.value;
        break;
      }
    }
    return resultOf(await made) ?? {};
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** The result as a person would answer it: a text, or blocks; undefined for a call that was suspended. */
function resultOf(returned: unknown): NotedResult | undefined {
  if (isObject(returned) && returned["suspended"] === true) return undefined;
  if (typeof returned === "string") return { result: returned };
  const { output, state } = (isObject(returned) ? returned : {}) as JsonObject;
  if (state === "error") return { error: JSON.stringify(output) };
  if (Array.isArray(output)) return { result: output as Json };
  return { result: JSON.stringify(returned) ?? "" };
}

/** Another release of the same agent. */
function released(config: AnyAgentConfig, release: Watch["release"]): AnyAgentConfig {
  if (release === "prompt")
    return { ...config, sysPrompt: `${config.sysPrompt ?? ""}\nThis is another release.`.trim() };
  const { tools, permissions } = config;
  if (release === undefined || !tools) return config;
  if (release === "name") {
    const rules = permissions?.rules?.map((rule) => ({ ...rule, optional: true }));
    return {
      ...config,
      tools: tools.map((tool) => ({ ...tool, name: `${tool.name.slice(0, 56)}_renamed` })),
      ...(permissions && { permissions: { ...permissions, ...(rules && { rules }) } }),
    };
  }
  return {
    ...config,
    tools: tools.map((tool) => {
      const properties = tool.inputSchema["properties"];
      const added = { ...(isObject(properties) && properties), release_note: { type: "string" } };
      return { ...tool, inputSchema: { ...tool.inputSchema, properties: added } };
    }),
  };
}
