import { isSame } from "../core/base/json.ts";
import { matchesName } from "../core/tool/name-pattern.ts";
import type { SessionToolkit } from "../core/tool/toolkit.ts";
import type { AnyTool } from "../core/tool/types.ts";
import { sharing } from "./options/config.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { toolTerms } from "./services/run-call.ts";
import { engineOf } from "./options/agent-rules.ts";
import type { AnyAgentConfig, Permissions } from "./options/agent-config.ts";

/** True if every call of the tool is allowed, whatever its arguments are: nothing that judges it is a function, and nothing says
 *  otherwise. */
function isAlwaysAllowed({ name, permission }: AnyTool, permissions: Permissions): boolean {
  const { rules = [], otherwise = "allow" } = permissions;
  const about = rules.filter(({ tool }) => matchesName(tool, name));
  if (about.some(({ action, when }) => action !== "allow" || when !== undefined)) return false;
  if (permission !== undefined) return permission === "allow";
  return about.length > 0 || otherwise === "allow";
}

const NO_RULES: readonly Permissions[] = [{}];
const shared = sharing<AgentContext["allowed"]>();

/** The session whose chart knows what is allowed. */
type AllowingSession = { send(event: AgentCommand): void };

/** The tools of a session whose calls may run without a review, as its chart knows them. */
export class AllowedTools {
  readonly #config: AnyAgentConfig;
  readonly #toolkit: SessionToolkit;
  readonly #permissions: readonly Permissions[];
  #current: AgentContext["allowed"];
  #session: AllowingSession | undefined;

  /** A tool is allowed if all of the `permissions` allow it. */
  constructor(
    config: AnyAgentConfig,
    toolkit: SessionToolkit,
    permissions: readonly Permissions[] = config.permissions ? [config.permissions] : NO_RULES,
  ) {
    this.#config = config;
    this.#permissions = permissions;
    this.#toolkit = toolkit;
    this.#current = this.#read();
  }

  get current(): AgentContext["allowed"] {
    return this.#current;
  }

  /** Tells the session whenever others than before are allowed. */
  watch(session: AllowingSession): void {
    this.#session = session;
    this.#toolkit.watcher = this;
  }

  toolsChanged(): void {
    const now = this.#read();
    if (isSame(now, this.#current)) return;
    this.#current = now;
    this.#session?.send({ type: "tools.allow", allowed: now });
  }

  #read(): AgentContext["allowed"] {
    const config = this.#config;
    const rules = config.rules && engineOf(config);
    const allowed = this.#toolkit
      .active()
      .filter((tool) => !rules?.mustBeRead(config.rules!, tool))
      .filter((tool) => this.#permissions.every((permissions) => isAlwaysAllowed(tool, permissions)));
    return shared(Object.fromEntries(allowed.map((tool) => [tool.name, toolTerms({ config }, tool)])));
  }
}
