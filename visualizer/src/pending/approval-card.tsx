import { lazy, Suspense } from "react";
import { BREAKPOINT_REASON } from "../../../src/core/tool/breakpoint.ts";
import { headOf } from "../logic/step-notes.ts";
import { LongTexts } from "../parts/long-texts.tsx";
import { sendCommand } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { disabledReason } from "../store/disabled-reason.ts";
import { useModel } from "../store/use-model.ts";
import type { Decision, PendingItem } from "../wire/types.ts";
import { DecisionCard } from "./decision-card.tsx";
import { t } from "../words/t.ts";

const AtBreakpoint = lazy(() => import("../breakpoints/at-breakpoint.tsx"));

/** A call of the selected run that waits for a decision. */
export function ApprovalCard({ item }: { readonly item: PendingItem }) {
  const { callId, argsHash } = item;
  const key = `call:${callId}`;
  const isSent = useModel((all) => all.sent.has(key));
  const reason = useModel((all) => disabledReason(all, "decide"));
  const decide = async (decision: Decision): Promise<string | undefined> => {
    if (model.sent.has(key)) return undefined; // clicked again before the next render
    const ack = await sendCommand({ type: "decide", callId, decision, argsHash }, key);
    return ack.ok ? undefined : (ack.error?.message ?? t("The command was refused."));
  };
  const why = item.reason === undefined ? undefined : headOf(item.reason); // a long one comes as its beginning
  const isStop = why?.startsWith(BREAKPOINT_REASON) === true;
  return (
    <DecisionCard
      id="approval"
      item={why === undefined ? item : { ...item, reason: why }}
      isSent={isSent}
      disabledReason={reason}
      decide={decide}
      choices={
        isStop
          ? (card) => (
              <Suspense fallback={null}>
                <AtBreakpoint {...card} goOn={() => decide("approve")} />
              </Suspense>
            )
          : undefined
      }
    >
      <LongTexts of={item.input} />
    </DecisionCard>
  );
}
