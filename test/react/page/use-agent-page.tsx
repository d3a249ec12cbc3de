import { createRoot } from "react-dom/client";
import { StrictMode, useState } from "react";
import type { Decision, PendingCall } from "agentchart";
import { useAgent } from "agentchart/react";

const query = new URLSearchParams(location.search);
const options = {
  url: query.get("server")!,
  sessionId: query.get("session")!,
  token: query.get("token")!,
  agent: query.get("agent")!,
};

function Call({ call, decide }: { call: PendingCall; decide: (decision: Decision) => void }) {
  const buttons: readonly (readonly [string, Decision])[] = call.ask
    ? [["Tomorrow", { respond: "tomorrow" }]]
    : [
        ["Approve", "approve"],
        ["Deny", "deny"],
        ["Pay less", { edit: { euros: 5 } }],
      ];
  return (
    <fieldset>
      <legend>{call.callId}</legend>
      {call.reason}
      {buttons.map(([label, decision]) => (
        <button key={label} onClick={() => decide(decision)}>
          {label} {call.callId}
        </button>
      ))}
    </fieldset>
  );
}

function Chat() {
  const [text, setText] = useState("");
  const { messages, pending, status, isConnected, error, send, decide, steer, interrupt } = useAgent(options);
  return (
    <main>
      <p>
        <output aria-label="status">{status}</output>{" "}
        <output aria-label="connection">{isConnected ? "online" : "offline"}</output>
      </p>
      <output aria-label="calls">
        {messages
          .flatMap(({ parts }) => parts)
          .flatMap((part) =>
            part.type === "dynamic-tool"
              ? `${String(part.toolCallId)} ${JSON.stringify(part.input)} ${String(part.state)}`
              : [],
          )
          .join(", ")}
      </output>
      <ol>
        {messages.map((message) => (
          <li key={message.id}>
            {message.role}:{" "}
            {message.parts.map((part) => (part.type === "text" ? String(part["text"]) : "")).join(" ")}
          </li>
        ))}
      </ol>
      {pending.map((call) => (
        <Call key={call.callId} call={call} decide={(decision) => void decide(call, decision)} />
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(text);
          setText("");
        }}
      >
        <input aria-label="message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void steer("Be brief.")}>Steer</button>
      <button onClick={() => void interrupt()}>Stop</button>
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
