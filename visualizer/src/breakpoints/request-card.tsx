import { endOfTurn } from "../logic/outcome.ts";
import { expectRevision, refusalText, sendCommand } from "../store/commands.ts";
import { disabledReason } from "../store/disabled-reason.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";
import AtBreakpoint from "./at-breakpoint.tsx";

/** A card for a turn that a breakpoint holds before its next request to the model. */
export default function RequestCard() {
  const text = useModel(({ run }) => endOfTurn(run.contextAt(run.last))?.text ?? "");
  const isSent = useModel((all) => all.sent.has("resume"));
  const reason = useModel((all) => disabledReason(all, "resume"));
  const goOn = async (): Promise<string | undefined> => {
    if (model.sent.has("resume")) return undefined; // clicked again before the next render
    const ack = await sendCommand({ type: "resume", ...expectRevision(model.row?.leaf) });
    return ack.ok ? undefined : refusalText(ack);
  };
  return (
    <section
      className="approval"
      id="approval"
      tabIndex={-1}
      data-pending="breakpoint"
      data-kind="breakpoint"
      aria-label={t("Before the model is asked")}
    >
      <header>
        <h2>{t("Before the model is asked")}</h2>
      </header>
      {text !== "" && <p>{text}</p>}
      <AtBreakpoint isDisabled={isSent || reason !== undefined} goOn={goOn} />
      {isSent && <p className="note">{t("Sent. The agent has not confirmed it yet.")}</p>}
      {reason !== undefined && !isSent && (
        <p className="note" data-testid="disabled-reason">
          {t("Not available:")} {reason}.
        </p>
      )}
    </section>
  );
}
