import { AgentError, configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { SessionStore } from "../store/port.ts";
import { storeSchema } from "../store/store-schema.ts";
import { savedPartsSchema, type SavedParts } from "./save.ts";

/** A component that a session manager saves and loads; every agent is one. */
export type SessionComponent = {
  /** Unique among the components of a manager. */
  readonly name: string;
  /** Saves the component under `key`, over what was saved there. */
  saveTo(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  /** Loads what was saved under `key`. Returns false if nothing was. */
  loadIfExists(store: SessionStore, key: string, parts?: SavedParts): Promise<boolean>;
};

/** Options of {@link sessionManager}. */
export type SessionManagerOptions = {
  /** The store in which the components are saved. */
  readonly store: SessionStore;
  /** The beginning of the keys under which they are saved. */
  readonly sessionId: string;
  /** The components that are saved and loaded together. */
  readonly components: readonly SessionComponent[];
  /** The parts of each component that are saved and loaded; default: all. */
  readonly parts?: SavedParts | undefined;
};

/** The schema of {@link SessionManagerOptions}. */
export const sessionManagerSchema = s.lazily(() =>
  s.options<SessionManagerOptions>(
    {
      store: storeSchema(),
      sessionId: s.nonEmpty(),
      components: s.listOf(s.having<SessionComponent>("saveTo", "an agent"), "an array of agents"),
      parts: s.optional(savedPartsSchema()),
    },
    { what: "options, such as { store, sessionId, components }" },
  ),
);

/** Saves and loads several agents under one session id, as AgentScope's SessionManager does. */
export interface SessionManager {
  /** Loads all components. Returns false, and loads nothing, if the session was never saved. */
  loadIfExists(): Promise<boolean>;
  /** Loads all components. Rejects `session/not-found` if the session was never saved. */
  loadOrThrow(): Promise<void>;
  /** Saves all components. Rejects `session/conflict` while one of their sessions is open in another process. */
  save(): Promise<void>;
  /** Saves all components. Returns false, and saves nothing, if the session was never saved. */
  saveIfExists(): Promise<boolean>;
  /** True if a component was saved. */
  exists(): Promise<boolean>;
  /** Deletes what was saved. Returns false if there was nothing to delete. */
  deleteIfExists(): Promise<boolean>;
  /** Deletes what was saved. Rejects `session/not-found` if there was nothing to delete. */
  deleteOrThrow(): Promise<void>;
}

/**
 * Returns a manager of the session `sessionId` in `store`. Each component is saved under its own key, `<sessionId>/<name>`.
 * Throws `config/invalid` for invalid options.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { sessionManager } from "agentchart/session";
 * import { fileStore } from "agentchart/store/file";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const planner = createAgent({ name: "planner", model: scriptedModel(["A plan."]) });
 * const writer = createAgent({ name: "writer", model: scriptedModel(["A text."]) });
 * const store = fileStore({ dir: "./sessions" });
 * const manager = sessionManager({ store, sessionId: "book", components: [planner, writer] });
 * await manager.loadIfExists();
 * await planner.call("Plan the book.");
 * await manager.save();
 * ```
 */
export function sessionManager(options: SessionManagerOptions): SessionManager {
  check(sessionManagerSchema(), options, "sessionManager");
  const { store, sessionId, components, parts } = options;
  const names = components.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw configError(`sessionManager: two components are named '${twice}'; expected a name for each.`);
  const keyOf = ({ name }: SessionComponent): string => `${sessionId}/${name}`;
  const notFound = (): AgentError => new AgentError("session/not-found", `Session not found: ${sessionId}`);

  const manager: SessionManager = {
    async loadIfExists() {
      const found: boolean[] = [];
      for (const component of components)
        found.push(await component.loadIfExists(store, keyOf(component), parts));
      return found.includes(true);
    },
    async loadOrThrow() {
      if (!(await manager.loadIfExists())) throw notFound();
    },
    async save() {
      for (const component of components) await component.saveTo(store, keyOf(component), parts);
    },
    async saveIfExists() {
      if (!(await manager.exists())) return false;
      await manager.save();
      return true;
    },
    async exists() {
      const found = await Promise.all(components.map((component) => store.load(keyOf(component))));
      return found.some((each) => each !== undefined);
    },
    async deleteIfExists() {
      const deleted: boolean[] = [];
      for (const component of components) deleted.push(await store.delete(keyOf(component)));
      return deleted.includes(true);
    },
    async deleteOrThrow() {
      if (!(await manager.deleteIfExists())) throw notFound();
    },
  };
  return manager;
}
