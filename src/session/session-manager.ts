import { AgentError } from "../base/error.ts";
import type { SessionStore } from "../store/port.ts";
import { checkStore } from "./check-store.ts";
import type { SavedParts } from "./save.ts";

/** What a session manager saves and loads; every agent is one. */
export type SessionComponent = {
  readonly name: string;
  saveTo(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  loadIfExists(store: SessionStore, key: string, parts?: SavedParts): Promise<boolean>;
};

/** Saves and loads several agents under one session id, as AgentScope's SessionManager does. */
export interface SessionManager {
  /** False, and nothing loaded, if the session was never saved. */
  loadIfExists(): Promise<boolean>;
  /** Rejects `session/not-found`. */
  loadOrThrow(): Promise<void>;
  save(): Promise<void>;
  /** False, and nothing saved, if the session was never saved. */
  saveIfExists(): Promise<boolean>;
  exists(): Promise<boolean>;
  /** False if there was nothing to delete. */
  deleteIfExists(): Promise<boolean>;
  /** Rejects `session/not-found`. */
  deleteOrThrow(): Promise<void>;
}

/** A manager of the session `sessionId` in `store`. Each component has its own key, `<sessionId>/<name>`. Throws
 *  `config/invalid` for options that make no sense. */
export function sessionManager(options: {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly components: readonly SessionComponent[];
  readonly parts?: SavedParts;
}): SessionManager {
  const { store, sessionId, components, parts } = options ?? {};
  checkStore(store, "sessionManager");
  if (typeof sessionId !== "string" || sessionId === "")
    throw new AgentError(
      "config/invalid",
      "sessionManager: `sessionId` must be a text of at least 1 character.",
    );
  if (!Array.isArray(components))
    throw new AgentError("config/invalid", "sessionManager: `components` must be a list of agents.");
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
