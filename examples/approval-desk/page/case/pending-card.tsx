import { useId, useState } from "react";
import type { Decision, PendingCall } from "agentchart";
import { useLanguage } from "../words/language.tsx";
import { ApprovalForm } from "./approval-form.tsx";
import { Fields } from "./fields.tsx";
import { titleOf } from "./pending-title.ts";
import { QuestionForm } from "./question-form.tsx";

type Props = { readonly call: PendingCall; readonly decide: (decision: Decision) => void };

/** A call or a question that waits for a decision. */
export function PendingCard({ call, decide }: Props) {
  const { words, format } = useLanguage();
  const title = useId();
  const [isSent, setSent] = useState(false);
  const send = (decision: Decision): void => {
    setSent(true);
    decide(decision);
  };
  const isQuestion = call.ask !== undefined && call.ask.kind !== "approval";
  const path = call.path?.map((tool) => words.tool.names[tool] ?? tool).join(" › ");
  return (
    <section className="card" aria-labelledby={title} data-kind={isQuestion ? "question" : "approval"}>
      <p className="card-kind">{isQuestion ? words.question.title : words.status.suspended}</p>
      <h3 id={title}>{titleOf(call, words, format)}</h3>
      {path !== undefined && path !== "" && <p className="muted">{words.approval.inside(path)}</p>}
      {!isQuestion && call.waitsFor === "unknownOutcome" && <p>{words.approval.unknown}</p>}
      {isQuestion ? (
        <QuestionForm call={call} isSent={isSent} decide={send} />
      ) : (
        <ApprovalForm call={call} isSent={isSent} decide={send}>
          <Fields value={call.input} />
        </ApprovalForm>
      )}
      <p className="card-foot muted">{words.approval.since(format.time(call.since))}</p>
    </section>
  );
}
