import { useEffect, useId, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import type { Decision, JsonObject, PendingCall } from "agentchart";
import { useLanguage } from "../words/language.tsx";
import { InputFields, readInput, textsOf } from "./input-fields.tsx";

type Props = {
  readonly call: PendingCall;
  readonly isSent: boolean;
  readonly decide: (decision: Decision) => void;
  /** What is asked for; not shown while it is changed. */
  readonly children: ReactNode;
};
type Mode = "ask" | "deny" | "edit";

/** Approves a call, denies it with a reason, or changes its arguments. */
export function ApprovalForm({ call, isSent, decide, children }: Props) {
  const { words } = useLanguage();
  const [mode, setMode] = useState<Mode>("ask");
  const form = useRef<HTMLDivElement>(null);
  const before = useRef(mode);
  useEffect(() => {
    if (before.current !== mode) form.current?.querySelector<HTMLElement>("[data-first]")?.focus();
    before.current = mode;
  }, [mode]);
  const back = (
    <button type="button" onClick={() => setMode("ask")}>
      {words.approval.back}
    </button>
  );
  const isUnknown = call.waitsFor === "unknownOutcome";
  return (
    <div ref={form}>
      {mode === "edit" ? <Edit call={call} isSent={isSent} decide={decide} back={back} /> : children}
      {mode === "deny" && <Deny isSent={isSent} decide={decide} back={back} />}
      {mode === "ask" && (
        <div className="actions">
          <button
            type="button"
            className="primary"
            data-first
            disabled={isSent}
            onClick={() => decide(isUnknown ? "retry" : "approve")}
          >
            {isUnknown ? words.approval.retry : words.approval.approve}
          </button>
          {!isUnknown && (
            <button type="button" disabled={isSent} onClick={() => setMode("edit")}>
              {words.approval.edit}
            </button>
          )}
          <button type="button" className="danger" disabled={isSent} onClick={() => setMode("deny")}>
            {words.approval.deny}
          </button>
        </div>
      )}
    </div>
  );
}

type FormProps = Pick<Props, "isSent" | "decide"> & { readonly back: ReactNode };

function Deny({ isSent, decide, back }: FormProps) {
  const { words } = useLanguage();
  const [reason, setReason] = useState(words.approval.reasonDefault);
  const id = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    decide(reason.trim() === "" ? "deny" : { deny: reason.trim() });
  };
  return (
    <form onSubmit={submit}>
      <label htmlFor={id}>{words.approval.reason}</label>
      <textarea
        id={id}
        data-first
        rows={2}
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="actions">
        <button className="danger solid" disabled={isSent}>
          {words.approval.denyNow}
        </button>
        {back}
      </div>
    </form>
  );
}

function Edit({ call, isSent, decide, back }: FormProps & { readonly call: PendingCall }) {
  const { words } = useLanguage();
  const [texts, setTexts] = useState(() => textsOf(call.input));
  const [wrong, setWrong] = useState<string>();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const read = readInput(call.input, texts);
    if (typeof read === "string") setWrong(read);
    else decide({ edit: read satisfies JsonObject });
  };
  return (
    <form onSubmit={submit} noValidate>
      <p className="muted">{words.approval.editTitle}</p>
      <InputFields input={call.input} texts={texts} wrong={wrong} change={setTexts} />
      <div className="actions">
        <button className="primary" disabled={isSent}>
          {words.approval.approveEdited}
        </button>
        {back}
      </div>
    </form>
  );
}
