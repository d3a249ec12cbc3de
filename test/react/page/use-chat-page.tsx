import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { sendAnswers } from "agentchart/ui";
import { createRoot } from "react-dom/client";
import { StrictMode, useState } from "react";

// As docs/ui.md says that a page does it.
const query = new URLSearchParams(location.search);
const id = query.get("session")!;
const headers = { Authorization: `Bearer ${query.get("token")}` };
const api = `${query.get("server")}/v1/sessions/${id}/chat`;
const history = await fetch(api, { headers });
const stored = history.ok ? ((await history.json()) as UIMessage[]) : [];

const answers = sendAnswers();

function Chat() {
  const [text, setText] = useState("");
  const chat = useChat({
    id,
    messages: stored,
    resume: history.ok,
    transport: new DefaultChatTransport({ api, headers, body: { agent: query.get("agent")! } }),
    sendAutomaticallyWhen: answers,
  });
  const calls = (chat.messages.at(-1)?.parts ?? []).flatMap((part) =>
    part.type === "dynamic-tool" && part.state === "approval-requested" ? part : [],
  );
  return (
    <main>
      <output aria-label="status">{chat.status}</output>
      <output aria-label="calls">
        {chat.messages
          .flatMap(({ parts }) => parts)
          .flatMap((part) =>
            part.type === "dynamic-tool"
              ? `${part.toolCallId} ${JSON.stringify(part.input)} ${part.state}`
              : [],
          )
          .join(", ")}
      </output>
      <ol>
        {chat.messages.map((message) => (
          <li key={message.id}>
            {message.role}: {message.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ")}
          </li>
        ))}
      </ol>
      {calls.map(({ toolCallId, approval }) => (
        <fieldset key={toolCallId}>
          <legend>{toolCallId}</legend>
          <button onClick={() => void chat.addToolApprovalResponse({ id: approval.id, approved: true })}>
            Approve {toolCallId}
          </button>
          <button onClick={() => void chat.addToolApprovalResponse({ id: approval.id, approved: false })}>
            Deny {toolCallId}
          </button>
          <button
            onClick={() =>
              void chat.sendMessage(undefined, {
                body: { decisions: { [toolCallId]: { edit: { euros: 5 } } } },
              })
            }
          >
            Pay less {toolCallId}
          </button>
        </fieldset>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void chat.sendMessage({ text });
          setText("");
        }}
      >
        <input aria-label="message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void chat.resumeStream()}>Resume</button>
      {chat.error && <p role="alert">{chat.error.message}</p>}
    </main>
  );
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
