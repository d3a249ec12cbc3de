import type { ForkedChat } from "../../src/cli/dev/fork-chat.ts";
import type { DevInfo } from "../../src/cli/dev/dev-state.ts";
import { eventData, randomId, SessionApi } from "../../src/ui/react/session-api.ts";
import type { Block } from "../../src/core/message/types.ts";

/** A stored chat, as `GET /v1/sessions` lists it. */
export type Chat = {
  readonly id: string;
  readonly agent?: string;
  readonly title?: string;
  readonly phase: string;
  readonly updatedAt: number;
};

/** The number of chats in the list. */
const CHATS = 100;
/** How long after a lost connection the next attempt is made, ms. */
const RETRY_MS = 1_000;

const authorization = (token: string): { readonly Authorization: string } => ({
  Authorization: `Bearer ${token}`,
});

/** The chats, the newest first. */
export async function listChats(token: string): Promise<readonly Chat[]> {
  const response = await fetch(`/v1/sessions?limit=${CHATS}`, { headers: authorization(token) });
  if (!response.ok) throw new Error(`The list of chats cannot be read: status ${response.status}.`);
  const { sessions } = (await response.json()) as { readonly sessions: readonly Chat[] };
  return sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
}

/** The text of a message, or its blocks. */
export type Input = string | readonly Block[];

/** Begins a chat with a first message, or adds one to a stored chat. Resolves once it is stored. */
export async function beginChat(
  token: string,
  id: string,
  agent: string | undefined,
  input: Input,
): Promise<void> {
  const message = { input, ...(agent !== undefined && { agent }) };
  await new SessionApi(() => ({ url: "", sessionId: id, token })).post("/messages", message);
}

/** Says a message of a chat again, changed if there is a text, in a new chat that begins as the chat did before it. Returns its id. */
export async function sayAgain(
  token: string,
  said: { readonly chat: string; readonly message: string; readonly agent: string | undefined },
  text?: string,
): Promise<string> {
  const { chat, message, agent } = said;
  const response = await fetch("/dev/fork", {
    method: "POST",
    headers: { ...authorization(token), "Content-Type": "application/json" },
    body: JSON.stringify({ chat, message }),
  });
  const answer = (await response.json()) as Partial<ForkedChat> & { readonly title?: string };
  if (!response.ok) throw new Error(answer.title ?? `Status ${response.status}.`);
  const { id, input = [] } = answer;
  const media = input.filter(({ type }) => type !== "text");
  const begun = id ?? `c_${randomId()}`;
  await beginChat(token, begun, agent, text === undefined ? input : [{ type: "text", text }, ...media]);
  return begun;
}

/** What is heard of the server: the connection is opened again when it is lost. */
export type DevListener = {
  readonly onInfo: (info: DevInfo) => void;
  readonly onLost: () => void;
  /** The token is not that of the server. */
  readonly onRefused: () => void;
};

/** Follows what the server is, until the signal. */
export async function followServer(token: string, listener: DevListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch("/dev/events", { headers: authorization(token), signal });
      if (response.status === 401) return listener.onRefused();
      for await (const infos of eventData(response))
        for (const info of infos) listener.onInfo(JSON.parse(info) as DevInfo);
    } catch {
      // the server was ended, or the page is left
    }
    if (signal.aborted) return;
    listener.onLost();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
