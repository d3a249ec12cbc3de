import { useEffect, useRef } from "react";
import type { AgentSession } from "agentchart/react";
import { useAnnounce } from "../parts/announcer.tsx";
import { useLanguage } from "../words/language.tsx";
import { titleOf } from "./pending-title.ts";

/** The text with which a conversation ends. */
function lastText({ messages }: AgentSession): string {
  const last = messages.at(-1)?.parts.findLast(({ type }) => type === "text");
  return last ? String(last["text"]) : "";
}

/** Tells screen readers of new answers, and of what waits for a decision. */
export function useSayings(agent: AgentSession): void {
  const { words, format } = useLanguage();
  const announce = useAnnounce();
  const { status, pending } = agent;
  const before = useRef(status);
  useEffect(() => {
    if (status === "ready" && before.current !== "ready" && agent.reason === "MODEL_STOP")
      announce(words.announce.answer(lastText(agent)));
    before.current = status;
  }, [status]);
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const fresh = pending.filter(({ callId }) => !known.current.has(callId));
    known.current = new Set(pending.map(({ callId }) => callId));
    if (fresh.length > 0)
      announce(fresh.map((call) => words.announce.approval(titleOf(call, words, format))).join(" "));
  }, [pending]);
}
