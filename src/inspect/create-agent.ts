import { createAgent as create } from "../agent/create-agent.ts";
import type { Agent, AgentConfig } from "../agent/types.ts";
import { sharedInspector } from "./inspector.ts";

/** The configuration with an address under `inspect` turned into what watches for it. Throws `config/invalid`. */
export function withInspector<Config extends Pick<AgentConfig, "inspect">>(config: Config): Config {
  const inspect = (config as Config | undefined | null)?.inspect;
  return typeof inspect === "string" ? { ...config, inspect: sharedInspector(inspect) } : config;
}

/** An agent: one session of one statechart. Synchronous and without I/O. Throws `config/invalid`, and for a `snapshot`
 *  also `session/version` and `session/damaged`. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  return create(withInspector(config));
}
