import { createAgentUIStream, tool, ToolLoopAgent } from "ai";
import { describe } from "../world.mjs";
import { mockModel } from "./mock-model.mjs";
import { openRows } from "./rows.mjs";
import { schemaOf } from "./schemas.mjs";

const CHAT = "order-17";

export function open({ folder, release }, world) {
  const rows = openRows(folder);
  const kinds = Object.entries(describe(release));
  const agent = new ToolLoopAgent({
    model: mockModel("desk"),
    tools: Object.fromEntries(
      kinds.map(([name, { description, fields }]) => [
        name,
        tool({
          description,
          inputSchema: schemaOf(fields),
          execute: (args, { toolCallId }) => world[name](args, toolCallId),
        }),
      ]),
    ),
    toolApproval: Object.fromEntries(
      kinds.flatMap(([name, { approval }]) => (approval ? [[name, "user-approval"]] : [])),
    ),
    experimental_toolApprovalSecret: "0123456789abcdef0123456789abcdef",
  });
  const load = () => JSON.parse(rows.load(CHAT) ?? "[]");
  // What a tab shows: the calls that ask, with the messages as it has them.
  const rest = (messages) => {
    const pending = messages
      .at(-1)
      .parts.filter(({ state }) => state === "approval-requested")
      .map((part) => ({
        id: part.toolCallId,
        name: part.type.slice("tool-".length),
        args: part.input,
        approvalId: part.approval.id,
        tab: messages,
      }));
    if (pending.length > 0) return { state: "waiting", pending };
    const text = messages.at(-1).parts.findLast(({ type }) => type === "text")?.text;
    return { state: "done", text: text ?? `nothing: ${JSON.stringify(messages.at(-1).parts.at(-1))}` };
  };
  // The route of the chat: it gets the messages of the tab, and stores those of the end.
  async function post(messages) {
    let stored = messages;
    const stream = await createAgentUIStream({
      agent,
      uiMessages: messages,
      originalMessages: messages,
      onError: (thrown) => String(thrown?.message ?? thrown),
      onEnd: ({ messages: all }) => {
        stored = all;
        rows.save(CHAT, JSON.stringify(all));
      },
    });
    for await (const { type, errorText } of stream) if (type === "error") throw new Error(errorText);
    return rest(stored);
  }
  return {
    start: (input) => post([{ id: "m1", role: "user", parts: [{ type: "text", text: input }] }]),
    pending: async () => rest(load()),
    // What `addToolApprovalResponse` does in the tab, which then sends its messages.
    approve: ({ approvalId, tab }) =>
      post(
        tab.map((message) => ({
          ...message,
          parts: message.parts.map((part) =>
            part.approval?.id === approvalId
              ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } }
              : part,
          ),
        })),
      ),
    // Nothing goes on by itself: the person sees the chat as it is stored, and sends it again.
    recover: async () => {
      const messages = load();
      return messages.length === 0
        ? { state: "lost", text: "Nothing of the chat is stored." }
        : rest(messages);
    },
  };
}
