import { useEffect, useMemo, useRef, useState } from "react";
import type { ActorMessage } from "../../../src/inspect/protocol/actor-info.ts";
import { eventText } from "../logic/guards.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { onKeys } from "../parts/on-keys.ts";
import { useThrottled } from "../parts/use-throttled.ts";
import { client } from "../store/client.ts";
import { select } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import type { RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

const ROW = 26;
/** px of a character of a text, at most on average. */
const CHARACTER = 7.5;
const COLUMN = 150;
/** px of the column in which events from outside of the system begin. */
const OUTSIDE = 90;
/** The newest messages that are drawn; a step of the list has the others. */
const MAX_DRAWN = 300;
/** Messages are asked for so often while the system works, ms. */
const INTERVAL_MS = 1_000;

/** Shows the events between the actors of a system, in the order in which they were sent: a lane for each actor. */
export default function Sequence() {
  const row = useModel((all) => all.row);
  const rows = useModel((all) => all.rows);
  const stepNumber = useModel((all) => all.stepNumber);
  const system = row?.actor?.system;
  const actors = useMemo(() => lanesOf(rows, system), [rows, system]);
  const count = useThrottled(
    actors.reduce((sum, { steps }) => sum + steps, 0),
    INTERVAL_MS,
  );
  const [page, setPage] = useState<{ readonly messages: readonly ActorMessage[]; readonly before: number }>();
  useEffect(() => {
    let isMounted = true;
    if (row?.actor)
      client.api?.messages(row.runId).then(
        (found) => isMounted && setPage(found),
        () => isMounted && setPage((known) => known ?? { messages: [], before: 0 }), // the page says by itself that the server is lost
      );
    return () => void (isMounted = false);
  }, [row?.runId, system, count]);
  const all = (page?.messages ?? []).filter(({ to }) => actors.some(({ runId }) => runId === to));
  const drawn = all.slice(-MAX_DRAWN);
  if (!row || drawn.length === 0)
    return (
      <p className="placeholder">
        {page || !client.api ? t("No events of this system are known here.") : t("Loading …")}
      </p>
    );
  const selected = drawn.findIndex(({ to, q }) => to === row.runId && q === stepNumber);
  const show = (place: number): void => {
    const { to: runId, q } = drawn[Math.min(place, drawn.length - 1)]!;
    select({ runId, stepNumber: q }, "replace");
  };
  const placeOf = new Map(actors.map(({ runId }, place) => [runId, OUTSIDE + COLUMN * (place + 0.5)]));
  const width = OUTSIDE + COLUMN * actors.length;
  // a text begins at its lane: those of the last ones need more room than the lanes
  const textsEnd = Math.max(
    ...drawn.map((message) => placeOf.get(message.to)! + textOf(message).length * CHARACTER),
  );
  const left = all.length - drawn.length > 0 || (page?.before ?? 0) > 0;
  return (
    <div className="sequence" role="region" aria-label={t("Sequence of events")}>
      <div className="sequence-heads" style={{ width }}>
        <span style={{ width: OUTSIDE }}>{t("outside")}</span>
        {actors.map((actor) => (
          <button
            key={actor.runId}
            type="button"
            style={{ width: COLUMN }}
            aria-current={actor.runId === row.runId ? "true" : undefined}
            title={`${actor.title ?? ""}, ${outcomeOf(actor).label}`}
            onClick={() => select({ runId: actor.runId, stepNumber: null })}
          >
            {actor.agent} <span className="muted">{outcomeOf(actor).label}</span>
          </button>
        ))}
      </div>
      {left && <p className="muted sequence-note">{t("Older events are in the steps of the actors.")}</p>}
      <svg
        width={Math.max(width, textsEnd + CHARACTER)}
        height={drawn.length * ROW + 8}
        role="listbox"
        tabIndex={0}
        aria-label={t("Events")}
        aria-activedescendant={selected < 0 ? undefined : idOf(drawn[selected]!)}
        onKeyDown={onKeys({
          ArrowUp: () => show(selected < 0 ? drawn.length : Math.max(0, selected - 1)),
          ArrowDown: () => show(selected + 1),
          Home: () => show(0),
          End: () => show(drawn.length),
        })}
      >
        {[...placeOf].map(([runId, x]) => (
          <line key={runId} className="lane" x1={x} x2={x} y1={0} y2={drawn.length * ROW + 8} />
        ))}
        {drawn.map((message, place) => (
          <Arrow
            key={message.n}
            message={message}
            y={place * ROW + ROW - 6}
            from={message.f === undefined ? OUTSIDE / 2 : (placeOf.get(message.f) ?? OUTSIDE / 2)}
            to={placeOf.get(message.to)!}
            isSelected={place === selected}
          />
        ))}
      </svg>
    </div>
  );
}

const idOf = ({ n }: ActorMessage): string => `message-${n}`;

function textOf({ e, z: error }: ActorMessage): string {
  const text = `${e === "xstate.init" ? t("began") : eventText(e)}${error ? ` ✕ ${error.name}` : ""}`;
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

type ArrowProps = {
  readonly message: ActorMessage;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly isSelected: boolean;
};

function Arrow({ message, y, from, to, isSelected }: ArrowProps) {
  const { q, z: error, e, to: runId, o: omitted } = message;
  const end = useRef<SVGLineElement>(null);
  useEffect(() => {
    if (isSelected) end.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isSelected]);
  const isOwn = from === to;
  const side = to >= from ? -1 : 1;
  const title = [
    t`${e}: step ${q}`,
    error && `${error.name}: ${error.message}`,
    omitted !== undefined && t`${omitted} events before it were not recorded`,
  ];
  return (
    <g
      id={idOf(message)}
      className="message"
      role="option"
      aria-selected={isSelected}
      data-message={message.n}
      data-failed={error ? true : undefined}
      data-selected={isSelected || undefined}
      onClick={() => select({ runId, stepNumber: q })}
    >
      <title>{title.filter((part) => typeof part === "string").join("\n")}</title>
      <rect
        className="hit"
        x={Math.min(from, to) - 4}
        y={y - ROW + 8}
        width={Math.abs(to - from) + 140}
        height={ROW}
      />
      <line ref={end} x1={to} x2={to} y1={y - ROW + 8} y2={y + 8} />
      {isOwn ? (
        <circle cx={to} cy={y - 4} r={4} />
      ) : (
        <path d={`M${from} ${y} H${to} m${side * 6} -4 l${-side * 6} 4 l${side * 6} 4`} />
      )}
      <text x={isOwn ? to + 9 : Math.min(from, to) + 6} y={isOwn ? y : y - 4}>
        {textOf(message)}
      </text>
    </g>
  );
}

/** The actors of a system, parents before their children. */
function lanesOf(rows: ReadonlyMap<string, RunRow>, system: string | undefined): readonly RunRow[] {
  const place = ({ runId }: RunRow): number => Number(runId.slice(runId.lastIndexOf(".") + 1)) || 0;
  return [...rows.values()]
    .filter(({ actor }) => actor !== undefined && actor.system === system)
    .toSorted((one, other) => place(one) - place(other));
}
