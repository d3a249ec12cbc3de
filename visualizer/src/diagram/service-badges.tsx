import { useMemo } from "react";
import { clock, duration } from "../logic/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { cut } from "../logic/json-rows.ts";
import { callRecords } from "../logic/message-shape.ts";
import { MAX_CALL_BADGES } from "../logic/parallel-calls.ts";
import { headOf } from "../logic/step-notes.ts";
import type { CallRecord, JsonObject, PlacedNode } from "../wire/types.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import type { Box } from "../../../src/core/diagram/layout.ts";
import type { Camera, Size } from "./camera.ts";
import { placeBadges } from "./badge-placement.ts";
import { enteredAt } from "../store/run-queries.ts";
import { t } from "../words/t.ts";

type Badge = {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
  readonly detail: string;
  readonly since: number;
  readonly deadline?: number;
};

type Props = {
  readonly stepNumber: number;
  readonly version: number;
  readonly nodes: readonly PlacedNode[];
  /** The texts of the picture, which are not to be covered. */
  readonly texts: readonly Box[];
  readonly index: ChartIndex;
  readonly camera: Camera;
  readonly view: Size;
  /**
   * The state beside which all badges are placed; undefined: each is placed on the state that runs its service.
   */
  readonly beside: string | undefined;
};

/**
 * Badges for what runs at this step: the model, hooks, and tool calls unless there are many, each with its elapsed
 * time.
 */
export function ServiceBadges({ stepNumber, version, nodes, texts, index, camera, view, beside }: Props) {
  const badges = useMemo(() => badgesAt(stepNumber, index), [stepNumber, version, index]);
  const isWorking = useModel((all) => all.isLive && all.isWorking);
  const isMoving = isWorking && badges.length > 0;
  const now = useNow(100, isMoving);
  const displayedAt = isMoving ? now : (model.run.at(stepNumber)?.time ?? now);
  const places = new Map(nodes.map((node) => [node.id, node]));
  const leaves = nodes.filter(({ hasChildren }) => !hasChildren);
  const covered = [...texts];
  return [...Map.groupBy(badges, ({ at }) => beside ?? at)].map(([id, members]) => {
    const state = places.get(id);
    const size = sizeOf(members);
    const place =
      state &&
      (placeBadges(state, [...covered, ...leaves], camera, view, size) ??
        placeBadges(state, covered, camera, view, size));
    if (!place) return null;
    const { left, top } = place;
    const { scale } = camera;
    covered.push({
      x: (left - camera.x) / scale,
      y: (top - camera.y) / scale,
      width: size.width / scale,
      height: size.height / scale,
    });
    return (
      <ul key={id} className="services" style={{ transform: `translate(${left}px, ${top}px)` }}>
        {members.slice(0, MOST).map(({ key, icon, text, detail, since, deadline }) => (
          <li key={key} title={detail} data-service={key}>
            <Icon name={icon} />
            <span>{text}</span>
            <span className="num">{elapsed(displayedAt - since)}</span>
            {deadline !== undefined && <i style={{ width: `${share(displayedAt, since, deadline)}%` }} />}
          </li>
        ))}
        {members.length > MOST && (
          <li
            title={members
              .slice(MOST)
              .map(({ detail }) => detail)
              .join("\n")}
          >
            +{members.length - MOST}
          </li>
        )}
      </ul>
    );
  });
}

/** The approximate size of stacked badges, px; it does not depend on the clock, so that badges do not move. */
function sizeOf(badges: readonly Badge[]): Size {
  const longest = Math.max(...badges.map(({ text }) => text.length));
  const rows = Math.min(badges.length, MOST + 1);
  return { width: BADGE.width + longest * BADGE.character, height: rows * BADGE.height };
}

/** So many services of a state have badges of their own; the others are counted. */
const MOST = 3;

const BADGE = { width: 82, character: 7, height: 28 };

const elapsed = (ms: number): string => (ms < 60_000 ? duration(Math.max(0, ms)) : clock(ms));
const share = (now: number, since: number, deadline: number): number =>
  Math.min(100, Math.max(0, ((now - since) / (deadline - since)) * 100));

const MAX_NAME_LENGTH = 40;
const nameOf = ({ name }: CallRecord["call"]): string => cut(headOf(name), MAX_NAME_LENGTH);

const ICONS: { readonly [service: string]: IconName } = {
  callModel: "model",
  runHooks: "link",
  reviewCalls: "check",
  commit: "down",
};

function badgesAt(stepNumber: number, index: ChartIndex): readonly Badge[] {
  const { run } = model;
  const active = run.statesAt(stepNumber);
  const context = run.contextAt(stepNumber);
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
          detail: t`${name} runs in ${id}`,
          since: run.at(enteredAt(run, index, stepNumber, id))?.time ?? Date.now(),
          ...(name === "callModel" && deadline !== undefined && { deadline }),
        };
      }),
  );
  const toolState = active.findLast((id) => id.endsWith(".executing")) ?? active.at(-1);
  const calls = callRecords(context?.["calls"]);
  const single = calls.length > MAX_CALL_BADGES ? [] : calls;
  const tools = single.flatMap(({ call, status, since, attempt, deadlineAt }) =>
    status !== "running" || toolState === undefined
      ? []
      : [
          {
            key: call.id,
            at: toolState,
            icon: "tool" as const,
            text: attempt > 1 ? t`${nameOf(call)} · attempt ${attempt}` : nameOf(call),
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
