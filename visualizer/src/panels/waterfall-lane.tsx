import { duration } from "../logic/format.ts";
import { laneTime, type Lane } from "../logic/lanes.ts";
import type { TimeScale } from "../logic/time-scale.ts";
import type { Work } from "../logic/work.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { openLane } from "./open-lane.ts";
import { t } from "../words/t.ts";

const ICONS: { readonly [kind in Lane["kind"]]: IconName } = {
  turn: "play",
  model: "model",
  hooks: "link",
  tool: "tool",
  wait: "hourglass",
  review: "check",
  store: "down",
  rest: "clock",
  agent: "fork",
};
const TONES = {
  turn: "slate",
  model: "violet",
  hooks: "pink",
  tool: "cyan",
  wait: "amber",
  review: "slate",
  store: "slate",
  rest: "slate",
  agent: "blue",
} as const;
/** Deeper lanes begin where these do. */
const MAX_INDENT = 5;
/** A bar of less would not be visible, px. */
const MIN_BAR = 2;

type Props = {
  readonly lane: Lane;
  readonly place: number;
  readonly count: number;
  readonly top: number;
  readonly scale: TimeScale;
  /** The left end of what is visible, px of the whole axis. */
  readonly from: number;
  readonly width: number;
  /** The time of the run now, ms since it began. */
  readonly nowAt: number;
  /** Epoch ms of the run's instant 0. */
  readonly offset: number;
  readonly isSelected: boolean;
};

/** A lane: its name, a bar for each attempt, and the time. */
export function WaterfallLane(props: Props) {
  const { lane, place, count, top, scale, from, width, nowAt, offset, isSelected } = props;
  const { kind, name, detail, depth, works, minor, run, of } = lane;
  const bars = run ? [runBar(lane, offset, nowAt)] : works.map((work) => barOf(work, nowAt));
  const last = bars.at(-1);
  const isFailed = works.at(-1)?.state === "failed" || (run && outcomeOf(run).tone === "red");
  const attempts = works.length > 1 ? ` · ${t`${works.length} attempts`}` : "";
  const time = run ? outcomeOf(run).label : `${duration(laneTime(lane))}${attempts}`;
  const right = last ? scale.x(last.end) - from : 0;
  return (
    <div
      id={`lane-${place}`}
      className="lane"
      role="option"
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={place + 1}
      data-lane={kind}
      data-inside={of}
      data-tone={TONES[kind]}
      data-failed={isFailed || undefined}
      style={{ top }}
      title={[`${name} ${works[0]?.input ?? detail}`.trim(), time, ...works.flatMap(attemptText)].join("\n")}
      onClick={() => openLane(lane)}
    >
      <span className="names" style={{ paddingLeft: 8 + Math.min(depth, MAX_INDENT) * 14 }}>
        <Icon name={isFailed ? "cross" : ICONS[kind]} />
        <strong>{name}</strong>
        <span className="muted mono">{detail}</span>
        {isFailed && <span className="hidden-text">{t("failed")}</span>}
      </span>
      <span className="bars">
        {bars.map(({ begin, end, state }, at) => (
          <Bar
            key={at}
            left={scale.x(begin) - from}
            right={scale.x(end) - from}
            width={width}
            state={state}
          />
        ))}
        {minor.map((work) => (
          <Bar
            key={work.id}
            left={scale.x(work.begin) - from}
            right={scale.x(work.end ?? nowAt) - from}
            width={width}
            state="minor"
          />
        ))}
        {last && right > -60 && right < width - 20 && (
          <span className="lane-time num" style={{ transform: `translateX(${Math.max(0, right) + 5}px)` }}>
            {time}
          </span>
        )}
      </span>
    </div>
  );
}

function Bar({
  left,
  right,
  width,
  state,
}: {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly state: string;
}) {
  if (right < -MIN_BAR || left > width) return null;
  const begin = Math.max(-MIN_BAR, left);
  return (
    <i
      data-bar={state}
      style={{
        transform: `translateX(${begin}px)`,
        width: Math.max(MIN_BAR, Math.min(width, right) - begin),
      }}
    />
  );
}

const barOf = ({ begin, end, state }: Work, nowAt: number) => ({
  begin,
  end: end ?? Math.max(begin, nowAt),
  state,
});

/** The time of a sub-agent by the clock of its own row. */
function runBar({ run }: Lane, offset: number, nowAt: number) {
  const begin = Math.max(0, run!.startedAt - offset);
  const isRunning = run!.phase === "running";
  const end = isRunning ? nowAt : Math.max(begin, run!.updatedAt - offset);
  return { begin, end, state: outcomeOf(run!).tone === "red" ? "failed" : isRunning ? "running" : "done" };
}

/** An attempt that did not go well, in a line. */
function attemptText({ state, attempt, detail, begin, end }: Work): readonly string[] {
  if (state !== "failed" && state !== "stopped") return [];
  const took = duration((end ?? begin) - begin);
  return [
    state === "failed"
      ? t`attempt ${attempt} failed after ${took}: ${detail}`
      : t`attempt ${attempt} was stopped after ${took}: ${detail}`,
  ];
}
