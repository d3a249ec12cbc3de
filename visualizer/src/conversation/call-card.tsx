import { memo, useState } from "react";
import { isObject } from "../../../src/core/base/json.ts";
import { clock, duration } from "../logic/format.ts";
import { innerRunOf } from "../logic/inner-runs.ts";
import { isBlob, preview } from "../logic/json-rows.ts";
import { headOf } from "../logic/step-notes.ts";
import { callStateText } from "../logic/parallel-calls.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { LongTexts } from "../parts/long-texts.tsx";
import { WithCode } from "../parts/with-code.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useNow } from "../parts/use-now.ts";
import { copy } from "../store/copy.ts";
import { model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import { canFork, editArguments, editResult } from "../store/open-fork.ts";
import { canBreak, openBreakpoints } from "../store/open-breakpoints.ts";
import { useModel } from "../store/use-model.ts";
import { workLog } from "../store/work-log.ts";
import type { CallRecord, Json, ToolResultBlock, ToolUseBlock } from "../wire/types.ts";
import { FailedAttempts, timeOf } from "./attempts.tsx";
import { readAccount } from "../logic/call-account.ts";
import { AfterRun, BeforeRun } from "./account.tsx";
import { FileDiff } from "./file-diff.tsx";
import { Output } from "./output.tsx";
import { said } from "../words/said.ts";
import { t } from "../words/t.ts";

const STYLES: { readonly [state: string]: { readonly icon: IconName; readonly tone: string } } = {
  success: { icon: "check", tone: "green" },
  error: { icon: "cross", tone: "red" },
  denied: { icon: "hand", tone: "red" },
  interrupted: { icon: "stop", tone: "slate" },
  suspended: { icon: "hourglass", tone: "amber" },
  running: { icon: "play", tone: "cyan" },
  unknown: { icon: "question", tone: "amber" },
  pending: { icon: "hand", tone: "amber" },
};
const MAX_EXPANDED_LENGTH = 200;

type Props = {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock | undefined;
  readonly record: CallRecord | undefined;
  readonly output: string | undefined;
};

/** A tool call with its arguments and its result. */
export const CallCard = memo(function CallCard({ call, result, record, output }: Props) {
  const state = stateOf(result, record);
  const { icon, tone } = STYLES[state] ?? { icon: "clock" as const, tone: "slate" };
  const args = JSON.stringify(call.input, null, 2);
  const log = workLog(model.run, model.chart?.index);
  const attempts = log.attemptsOf(call.id, model.stepNumber);
  const took = timeOf(attempts);
  const account = readAccount(result?.account ?? record?.account);
  const canEdit = useModel(canFork);
  const canStop = useModel(canBreak);
  // the card of the decision says the same of a call that waits for one
  const isAsked = useModel((all) => all.isLive && all.pending.items.some(({ callId }) => callId === call.id));
  const [opened, setOpen] = useState<boolean>();
  const isOpen = opened ?? (args.length < MAX_EXPANDED_LENGTH && !isAsked);
  return (
    <section className="call" data-tone={tone} data-call={call.id} data-call-state={state}>
      <div className="call-top">
        <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="tool" />
          <strong className="mono" title={call.name}>
            {call.name}
          </strong>
          {!isOpen && <span className="mono muted args">{preview(call.input, 60)}</span>}
          <span className="spacer" />
          {state === "running" && record && <Running since={record.since} />}
          {state !== "running" && took !== undefined && (
            <span className="num muted took" title={t("From the first attempt to the end of the last one")}>
              {attempts.length > 1 && t`${attempts.length} attempts · `}
              {duration(took)}
            </span>
          )}
          <span className="badge">
            <Icon name={icon} /> {callStateText(state, record?.attempt ?? 0, record?.decided !== undefined)}
          </span>
        </button>
        <Menu label={t`More about the call ${call.name}`} items={itemsOf(call, result, canEdit, canStop)} />
      </div>
      {isOpen && <pre className="args">{call.rawInput ?? args}</pre>}
      {isOpen && <LongTexts of={call.rawInput ?? call.input} />}
      <InnerRun callId={call.id} />
      <BeforeRun asked={call.input} account={account} isOver={result !== undefined} />
      {record?.asks !== undefined && !result && !isAsked && (
        <p className="reason">
          <WithCode text={said(headOf(record.asks))} />
        </p>
      )}
      <FailedAttempts attempts={attempts} hasResult={result !== undefined} account={account} />
      {output !== undefined && !result && <pre className="partial-output">{output.slice(-4_000)}</pre>}
      {result && <Output result={result} />}
      {result && <FileDiff diff={result.metadata?.["diff"]} />}
      <AfterRun account={account} result={result} attempts={attempts} />
    </section>
  );
});

/** Offers what can be done with a call beside looking at it. */
function itemsOf(
  call: ToolUseBlock,
  result: ToolResultBlock | undefined,
  canEdit: boolean,
  canStop: boolean,
): readonly MenuItem[] {
  const args = call.rawInput ?? JSON.stringify(call.input, null, 2);
  const texts = (result?.output ?? []).flatMap((part): readonly Json[] =>
    "text" in part ? [part.text] : [],
  );
  const text = texts.some(isBlob) ? "" : texts.join("\n"); // of a long text only the beginning is here
  return [
    ...(canEdit
      ? [{ label: t("Edit arguments and run again"), onChoose: () => editArguments(call.id) }]
      : []),
    ...(canEdit && result
      ? [{ label: t("Edit result and run again"), onChoose: () => editResult(call.id) }]
      : []),
    ...(canStop
      ? [
          {
            label: t("Set a breakpoint before this tool"),
            onChoose: () => openBreakpoints({ tool: call.name }),
          },
        ]
      : []),
    { label: t("Copy arguments"), onChoose: () => void copy(args) },
    ...(text !== "" ? [{ label: t("Copy result"), onChoose: () => void copy(text) }] : []),
  ];
}

/** A link to the run inside of a call. */
function InnerRun({ callId }: { readonly callId: string }) {
  const inner = useModel((all) => innerRunOf(all.rows, all.selection.runId, callId));
  const agent = useModel((all) => (inner === undefined ? undefined : all.rows.get(inner)?.agent));
  if (inner === undefined) return null;
  return (
    <button
      type="button"
      className="link inner-run"
      onClick={() => select({ runId: inner, stepNumber: null })}
    >
      {t("Open the run of")} {agent}
    </button>
  );
}

/** Returns the state of a call, as its card says it. */
export function stateOf(result: ToolResultBlock | undefined, record: CallRecord | undefined): string {
  if (result) return result.state;
  if (record?.asks !== undefined) return "pending";
  if (record?.status === "done" && isObject(record.result)) return headOf(record.result.state); // not stored yet
  return record?.status ?? "requested";
}

function Running({ since }: { readonly since: number }) {
  const isTicking = useModel((all) => all.isLive && all.isWorking);
  const now = useNow(500, isTicking);
  const at = isTicking ? now : (model.run.at(model.stepNumber)?.time ?? now);
  return <span className="num muted">{clock(at - since)}</span>;
}
