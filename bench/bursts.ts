import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchOptions, WRITE } from "./options.ts";

const { values } = benchOptions(
  `Simulates how long turns wait in bursts of one tenant, with and without limits: a queue served first come, first served.

Usage: npm run bench:bursts -- [--write]

  --write  writes docs/bench-bursts.md
  --help   prints this`,
  WRITE,
);

/** A stream of sessions that want a turn, and the slots of all workers that run them; times in seconds. */
type Scene = {
  /** Turns a second outside of the burst. */
  readonly rate: number;
  /** How many times as many one tenant adds in the burst. */
  readonly burst: number;
  readonly burstS: number;
  readonly slots: number;
  /** Slots the tenant of the burst may have; default all. */
  readonly tenantSlots?: number;
};

const WARM_UP_S = 600;
const MEAN_TURN_S = 12;
const SIGMA = 0.8;

/** The same numbers in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Turn = { readonly at: number; readonly takes: number; readonly isBurst: boolean };

/** Turns arrive independently of each other and take as long as models and tools do: mostly seconds, sometimes minutes. */
function arrivals({ rate, burst, burstS }: Scene): readonly Turn[] {
  const random = randomOf(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const takes = () => MEAN_TURN_S * Math.exp(SIGMA * normal() - SIGMA ** 2 / 2);
  const stream = (perSecond: number, from: number, until: number, isBurst: boolean): Turn[] => {
    const turns: Turn[] = [];
    const gap = () => -Math.log(1 - random()) / perSecond;
    if (perSecond === 0) return turns;
    for (let at = from + gap(); at <= until; at += gap()) turns.push({ at, takes: takes(), isBurst });
    return turns;
  };
  const burstEnd = WARM_UP_S + burstS;
  return [
    ...stream(rate, 0, burstEnd + 3_600, false),
    ...stream(rate * burst, WARM_UP_S, burstEnd, true),
  ].toSorted((a, b) => a.at - b.at);
}

type Waited = Turn & { readonly waited: number };

/** First come, first served; a tenant over its limit stands aside. */
function serve(scene: Scene): readonly Waited[] {
  const { slots, tenantSlots = slots } = scene;
  const served: Waited[] = [];
  const [others, ofBurst]: [Turn[], Turn[]] = [[], []];
  const ends: { readonly at: number; readonly isBurst: boolean }[] = []; // sorted, soonest last
  let running = 0;
  const start = (now: number): void => {
    while (ends.length < slots) {
      const mayBurst = ofBurst.length > 0 && running < tenantSlots;
      const isBurst = mayBurst && (others.length === 0 || ofBurst[0]!.at < others[0]!.at);
      const turn = isBurst ? ofBurst.shift() : others.shift();
      if (!turn) return;
      if (isBurst) running++;
      served.push({ ...turn, waited: now - turn.at });
      const end = { at: now + turn.takes, isBurst };
      const place = ends.findLastIndex(({ at }) => at > end.at);
      ends.splice(place + 1, 0, end);
    }
  };
  const finishUntil = (now: number): void => {
    for (let next = ends.at(-1); next && next.at <= now; next = ends.at(-1)) {
      ends.pop();
      if (next.isBurst) running--;
      start(next.at);
    }
  };
  for (const turn of arrivals(scene)) {
    finishUntil(turn.at);
    (turn.isBurst ? ofBurst : others).push(turn);
    start(turn.at);
  }
  finishUntil(Number.POSITIVE_INFINITY);
  return served;
}

const percentile = (of: readonly number[], part: number): number =>
  of.toSorted((a, b) => a - b)[Math.floor((of.length - 1) * part)] ?? 0;
const seconds = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

function row(name: string, scene: Scene): string {
  const during = serve(scene).filter(({ at }) => at >= WARM_UP_S && at < WARM_UP_S + scene.burstS);
  const waits = (isBurst: boolean) =>
    during.filter((turn) => turn.isBurst === isBurst).map(({ waited }) => waited);
  const cells = [waits(false), waits(true)].flatMap((of) =>
    [percentile(of, 0.5), percentile(of, 0.95)].map(seconds),
  );
  return `| ${name} | ${scene.slots} | ${cells.join(" | ")} |`;
}

const RATE = 11.6; // 10⁶ turns a day
const slotsAt = (load: number): number => Math.ceil((RATE * MEAN_TURN_S) / load);
const base = { rate: RATE, burstS: 120 };
const rows = [
  row("no burst, 90 % busy", { ...base, burst: 0, slots: slotsAt(0.9) }),
  row("no burst, 70 % busy", { ...base, burst: 0, slots: slotsAt(0.7) }),
  row("2 min of three times as much, 70 % busy before", { ...base, burst: 2, slots: slotsAt(0.7) }),
  row("the same, 35 % busy before", { ...base, burst: 2, slots: slotsAt(0.35) }),
  row("2 min of ten times as much, 70 % busy before", { ...base, burst: 9, slots: slotsAt(0.7) }),
  row("the same, its tenant limited to a quarter of the slots", {
    ...base,
    burst: 9,
    slots: slotsAt(0.7),
    tenantSlots: Math.floor(slotsAt(0.7) / 4),
  }),
];

const text = `# Bursts, simulated

Written by \`npm run bench:bursts -- --write\`: ${RATE} turns a second (10⁶ a day), each ${MEAN_TURN_S} s in the mean and log-normal (σ ${SIGMA}), on the slots
(\`concurrency\`) of all workers together; one tenant sends the burst. How long a turn of those two minutes waits for a slot, s:

| | slots | others, median | 95 % | the tenant, median | 95 % |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-bursts.md"), text);
