import { randomUUID } from "node:crypto";
import { AgentError, configError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import type { Block } from "../../core/message/types.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";

/** A chat that ends before a message of another one, and that message, which can be said again in it. */
export type ForkedChat = {
  /** The id of the new chat; undefined if nothing was said before the message: the chat exists once something is. */
  readonly id?: string;
  /** The blocks of the message that a client may send. */
  readonly input: readonly Block[];
};

/** Forks a chat before a message of the user. The chat itself stays as it is. Rejects with `session/not-found` for an unknown chat or
 *  message, and with `run/busy` while a turn of it runs. */
export async function forkChat(store: SessionStore, tenant: string, request: unknown): Promise<ForkedChat> {
  const { chat, message } = isObject(request) ? request : {};
  if (typeof chat !== "string" || typeof message !== "string")
    throw configError("Expected { chat, message }: the ids of a chat and of a message.");
  const stored = await openSession(store, `${tenant}/${chat}`);
  const { seq, state, messages } = await stored.at();
  const at = messages.findIndex(({ id, role }) => id === message && role === "user");
  const said = messages[at];
  if (!said) throw new AgentError("session/not-found", `The chat has no message ${message} of the user.`);
  if (!/^(?:stopped|suspended)\b/.test(state))
    throw new AgentError("run/busy", "A turn of the chat runs: stop it before a message is said again.");
  const input = said.content.filter(({ type }) => /^(?:text|image|audio|video)$/.test(type));
  if (at === 0) return { input };
  const id = `c_${randomUUID()}`;
  await stored.fork(seq, { sessionId: `${tenant}/${id}`, edits: (all) => all.slice(0, at) });
  return { id, input };
}
