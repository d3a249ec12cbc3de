import { useState } from "react";
import type { MessageItem } from "../logic/conversation-items.ts";
import { model } from "../store/model.ts";
import { workLog } from "../store/work-log.ts";
import type { ToolUseBlock } from "../wire/types.ts";
import { CallCard, stateOf } from "./call-card.tsx";
import { t } from "../words/t.ts";

/** More calls than this in one message are folded: those that went well are only counted. */
export const MAX_UNFOLDED = 6;
/** The most calls that are listed while the others are folded. */
const MAX_LISTED = 12;

type Props = { readonly calls: readonly ToolUseBlock[]; readonly item: MessageItem };

/** Many calls of one message: how many are in each state, and the cards of those that need a look; all of them on demand. */
export function ManyCalls({ calls, item }: Props) {
  const [isOpen, setOpen] = useState(false);
  const states = Map.groupBy(calls, (call) => stateOf(item.results.get(call.id), item.open.get(call.id)));
  const odd = calls.filter((call) => needsALook(call, item)).slice(0, MAX_LISTED);
  const shown = isOpen ? calls : odd;
  return (
    <>
      <div className="many-calls">
        <strong>
          {calls.length} {t("calls")}
        </strong>
        {[...states].map(([state, all]) => (
          <span key={state} className="badge" data-calls={state}>
            {all.length} {t(state)}
          </span>
        ))}
        <span className="spacer" />
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("Fold") : t`Show all ${calls.length}`}
        </button>
      </div>
      {shown.map((call) => (
        <CallCard
          key={call.id}
          call={call}
          result={item.results.get(call.id)}
          record={item.open.get(call.id)}
          output={item.outputs.get(call.id)}
        />
      ))}
    </>
  );
}

/** True for a call that waits, did not go well, or did so only after attempts that failed. */
function needsALook(call: ToolUseBlock, item: MessageItem): boolean {
  const state = stateOf(item.results.get(call.id), item.open.get(call.id));
  if (state === "running") return false;
  if (state !== "success" && state !== "requested" && state !== "approved") return true;
  return workLog(model.run, model.chart?.index)
    .attemptsOf(call.id, model.stepNumber)
    .some(({ state: outcome }) => outcome === "failed");
}
