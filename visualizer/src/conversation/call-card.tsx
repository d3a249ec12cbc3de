import { memo, useState } from "react";
import { clock } from "../logic/format.ts";
import { preview } from "../logic/json-rows.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { CallRecord, ToolResultBlock, ToolUseBlock } from "../wire/types.ts";
import { Output } from "./output.tsx";

const LOOKS: { readonly [state: string]: { readonly icon: IconName; readonly tone: string } } = {
  success: { icon: "check", tone: "green" },
  error: { icon: "cross", tone: "red" },
  denied: { icon: "hand", tone: "red" },
  interrupted: { icon: "stop", tone: "slate" },
  suspended: { icon: "hourglass", tone: "amber" },
  running: { icon: "play", tone: "cyan" },
  unknown: { icon: "question", tone: "amber" },
  asks: { icon: "hand", tone: "amber" },
};
const OPEN_LENGTH = 200;

type Props = {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock | undefined;
  readonly record: CallRecord | undefined;
  readonly output: string | undefined;
  /** What somebody has decided about it in the inspector; "" if nobody has. */
  readonly decision: string;
};

/** A tool call with its arguments and what it came to. */
export const CallCard = memo(function CallCard({ call, result, record, output, decision }: Props) {
  const state = stateOf(result, record);
  const { icon, tone } = LOOKS[state] ?? { icon: "clock" as const, tone: "slate" };
  const args = JSON.stringify(call.input, null, 2);
  const [isOpen, setOpen] = useState(args.length < OPEN_LENGTH);
  return (
    <section className="call" data-tone={tone} data-call={call.id} data-call-state={state}>
      <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="tool" />
        <strong className="mono">{call.name}</strong>
        {!isOpen && <span className="mono muted args">{preview(call.input, 60)}</span>}
        <span className="fill" />
        {state === "running" && record && <Running since={record.since} />}
        <span className="chip">
          <Icon name={icon} /> {state === "asks" ? "asks" : state}
        </span>
      </button>
      {isOpen && <pre className="args">{call.rawInput ?? args}</pre>}
      {decision !== "" && <p className="note">{decision}</p>}
      {record?.asks !== undefined && !result && <p className="why">{record.asks}</p>}
      {output !== undefined && !result && <pre className="so-far">{output.slice(-4_000)}</pre>}
      {result && <Output result={result} />}
    </section>
  );
});

function stateOf(result: ToolResultBlock | undefined, record: CallRecord | undefined): string {
  if (result) return result.state;
  if (record?.asks !== undefined) return "asks";
  return record?.status ?? "asked for";
}

function Running({ since }: { readonly since: number }) {
  const isMoving = useModel((all) => all.isLive && all.isWorking);
  const now = useNow(500, isMoving);
  const at = isMoving ? now : (model.run.at(model.q)?.t ?? now);
  return <span className="num muted">{clock(at - since)}</span>;
}
