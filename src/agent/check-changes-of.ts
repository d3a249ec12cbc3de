import { AgentError } from "../core/base/error.ts";
import { checkChanges } from "../session/fork-changes.ts";
import type { ForkChanges } from "../../machines/agent/prompt/edits.ts";
import { RESERVED_NAMES } from "../core/tool/reserved-names.ts";
import { toolkitOf, findModel } from "./options/config.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";

/** Throws `config/invalid` for changes of another shape, and `session/bad-change` for those that this configuration cannot follow. */
export function checkChangesOf(config: AnyAgentConfig, changes: ForkChanges): void {
  checkChanges(changes, "fork");
  const { tools = [], model } = changes;
  if (model !== undefined) findModel(config, model);
  const names = [...toolkitOf(config).names(), ...(config.toolOptions?.clientTools ?? []), ...RESERVED_NAMES];
  const unknown = tools.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AgentError("session/bad-change", `The agent has no tool '${unknown}'.`);
}
