import { AgentError, messageOf } from "../base/error.ts";
import type { Fingerprint } from "../tool/fingerprint.ts";
import type { SessionToolkit } from "../tool/toolkit.ts";
import type { Schema, Tool } from "../tool/types.ts";
import type { WantedOutput } from "../../machines/agent/context.ts";
import { toolkitOf } from "./config.ts";
import { AgentFingerprint } from "./fingerprint.ts";
import { outputTool } from "./output.ts";
import { Personas } from "./personas.ts";
import { SessionHooks } from "./session-hooks.ts";
import type { KeptParts } from "./runtime-parts.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { RuleStates } from "../tool/rules/law.ts";
import { engineOf } from "./agent-rules.ts";
import type { AgentConfig } from "./agent-config.ts";

/** The schema of the structured answer that is asked for, and the tool that gives it. */
export type Output = { readonly schema: Schema; readonly tool: Tool<never> };

/** What the agent of a session brings to it in this process, and the journal does not: its tools, hooks and personas, the `context`
 *  of the user, and the schema of the answer that is asked for. */
export class Equipment {
  readonly toolkit: SessionToolkit;
  readonly personas: Personas | undefined;
  readonly hooks: SessionHooks;
  /** The `context` of the running call, else of the agent. */
  userContext: never;
  readonly #config: AgentConfig<never>;
  readonly #sessionId: string;
  /** What the rules of the agent around this one remember. */
  readonly #rulesAround: RuleStates | undefined;
  readonly #fingerprint: AgentFingerprint;
  #schema: Schema | undefined;
  #output: Output | undefined;

  /** Throws `config/invalid` for a `context` of the agent that fails. */
  constructor(
    config: AgentConfig<never>,
    sessionId: string,
    kept: Omit<KeptParts, "events">,
    rulesAround?: RuleStates,
  ) {
    this.#rulesAround = rulesAround;
    this.#config = config;
    this.#sessionId = sessionId;
    this.toolkit = kept.toolkit ?? toolkitOf(config);
    this.personas = config.personas && new Personas(config);
    this.hooks = new SessionHooks(config, kept.hooks);
    this.#fingerprint = new AgentFingerprint(config);
    this.#schema = kept.schema;
    this.userContext = this.sessionContext();
  }

  /** Returns the context of a session that begins, or comes from elsewhere, with what the rules remember of it. */
  withRules(context: AgentContext): AgentContext {
    const rules = engineOf(this.#config)?.enter(
      this.#config,
      context,
      this.#rulesAround,
      this.toolkit.tools(),
    );
    return rules ? { ...context, progress: { ...context.progress, rules } } : context;
  }

  /** What the agent consists of. */
  get fingerprint(): Fingerprint {
    return this.#fingerprint.of(this.toolkit.tools());
  }

  /** The `context` of the agent for this session. Throws `config/invalid` if its function fails. */
  sessionContext(): never {
    const { context, meta = {} } = this.#config;
    if (typeof context !== "function") return context as never;
    try {
      return (context as (session: object) => never)({ sessionId: this.#sessionId, meta });
    } catch (cause) {
      throw new AgentError("config/invalid", `The agent's \`context\` failed: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  /** The schema of the structured answer, as a call of this process gave it; undefined if none did. */
  get schema(): Schema | undefined {
    return this.#schema;
  }

  set schema(schema: Schema | undefined) {
    this.#schema = schema;
    this.#output = undefined;
  }

  /** The schema of an answer that is asked for, and its tool. If another process was given the schema, it is plain JSON Schema here. */
  outputOf(wanted: WantedOutput): Output {
    const schema = this.#schema ?? wanted.schema;
    if (this.#output?.schema !== schema) this.#output = { schema, tool: outputTool(schema) };
    return this.#output;
  }
}
