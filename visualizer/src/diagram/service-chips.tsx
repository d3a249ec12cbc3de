import { useMemo } from "react";
import { clock, duration } from "../logic/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { cut } from "../logic/json-rows.ts";
import { callRecords } from "../logic/message-shape.ts";
import { headOf } from "../logic/step-notes.ts";
import type { CallRecord, JsonObject, PlacedNode } from "../wire/types.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import type { Camera, Size } from "./camera.ts";
import { placeBeside } from "./chip-place.ts";
import { enteredAt } from "./lit.ts";

type Chip = {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
  readonly detail: string;
  readonly since: number;
  readonly deadline?: number;
};

type Props = {
  readonly q: number;
  readonly version: number;
  readonly nodes: readonly PlacedNode[];
  readonly index: ChartIndex;
  readonly camera: Camera;
  readonly view: Size;
  /** The state beside which all of it stands; undefined: each on the state that runs it. */
  readonly beside: string | undefined;
};

/** What runs at this step, on the state that runs it: model, hooks, and every tool call with its own clock. */
export function ServiceChips({ q, version, nodes, index, camera, view, beside }: Props) {
  const chips = useMemo(() => chipsAt(q, index), [q, version, index]);
  const isWorking = useModel((all) => all.isLive && all.isWorking);
  const isMoving = isWorking && chips.length > 0;
  const now = useNow(100, isMoving);
  const shownAt = isMoving ? now : (model.run.at(q)?.t ?? now);
  const places = new Map(nodes.map((node) => [node.id, node]));
  const rows = Map.groupBy(chips, ({ at }) => beside ?? at);
  return [...rows].map(([id, members]) => {
    const place = places.get(id);
    if (!place) return null;
    const isBeside = beside !== undefined;
    const { left, top } = isBeside
      ? placeBeside(place, nodes, camera, view, sizeOf(members))
      : {
          left: camera.x + (place.x + place.width / 2) * camera.scale,
          top: camera.y + (place.y + place.height) * camera.scale,
        };
    return (
      <ul
        key={id}
        className="services"
        data-beside={isBeside || undefined}
        style={{
          transform: `translate(${left}px, ${top}px) ${isBeside ? "" : "translate(-50%, -35%)"}`,
        }}
      >
        {members.map(({ key, icon, text, detail, since, deadline }) => (
          <li key={key} title={detail} data-service={key}>
            <Icon name={icon} />
            <span>{text}</span>
            <span className="num">{elapsed(shownAt - since)}</span>
            {deadline !== undefined && <i style={{ width: `${share(shownAt, since, deadline)}%` }} />}
          </li>
        ))}
      </ul>
    );
  });
}

/** About what chips need one above the other, in px: a clock that grows must not move them. */
function sizeOf(chips: readonly Chip[]): Size {
  const longest = Math.max(...chips.map(({ text }) => text.length));
  return { width: CHIP.width + longest * CHIP.character, height: chips.length * CHIP.height };
}

const CHIP = { width: 82, character: 7, height: 28 };

const elapsed = (ms: number): string => (ms < 60_000 ? duration(Math.max(0, ms)) : clock(ms));
const share = (now: number, since: number, deadline: number): number =>
  Math.min(100, Math.max(0, ((now - since) / (deadline - since)) * 100));

const LONGEST_NAME = 40;
const nameOf = ({ name }: CallRecord["call"]): string => cut(headOf(name), LONGEST_NAME);

const ICONS: { readonly [service: string]: IconName } = {
  callModel: "model",
  runHooks: "link",
  reviewCalls: "check",
  commit: "down",
};

function chipsAt(q: number, index: ChartIndex): readonly Chip[] {
  const { run } = model;
  const active = run.statesAt(q);
  const context = run.contextAt(q);
  const services = active.flatMap((id) =>
    (index.nodes.get(id)?.invoke ?? [])
      .filter((name) => name !== "sleepUntil")
      .map((name) => {
        const deadline = numberAt(context, "request", "deadlineAt");
        return {
          key: `${id} ${name}`,
          at: id,
          icon: ICONS[name] ?? ("hourglass" as const),
          text: name,
          detail: `${name} runs in ${id}`,
          since: run.at(enteredAt(run, q, id))?.t ?? Date.now(),
          ...(name === "callModel" && deadline !== undefined && { deadline }),
        };
      }),
  );
  const home = active.findLast((id) => id.endsWith(".executing")) ?? active.at(-1);
  const calls = callRecords(context?.["calls"]);
  const tools = calls.flatMap(({ call, status, since, attempt, deadlineAt }) =>
    status !== "running" || home === undefined
      ? []
      : [
          {
            key: call.id,
            at: home,
            icon: "tool" as const,
            text: attempt > 1 ? `${nameOf(call)} · try ${attempt}` : nameOf(call),
            detail: `${nameOf(call)} ${JSON.stringify(call.input).slice(0, 400)}`,
            since,
            ...(deadlineAt !== undefined && { deadline: deadlineAt }),
          },
        ],
  );
  return [...services, ...tools];
}

function numberAt(context: JsonObject | undefined, key: string, inner: string): number | undefined {
  const value = (context?.[key] as JsonObject | undefined)?.[inner];
  return typeof value === "number" ? value : undefined;
}
