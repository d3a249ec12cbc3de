import type { Difference } from "./diff.ts";
import type { Path } from "../wire/types.ts";

/** The order in which a person looks for things in a step, first things first; what is in none of them follows. */
const ORDER = [
  "messages",
  "draft",
  "failure",
  "outcome",
  "interruption",
  "request",
  "wanted",
  "slots",
  "view",
  "calls",
  "inbox",
];
/** Counters, times, and the request to the model, which has a tab of its own: by the key at the top, and by the key at the end of a path. */
const COUNTERS = new Set(["at", "modelCall", "progress", "settings", "allowed", "listening"]);
const TIMES = new Set([
  "at",
  "since",
  "deadlineAt",
  "notBeforeAt",
  "graceAt",
  "expiresAt",
  "spawned",
  "hooked",
  "stored",
  "attempt",
  "finishReason",
  "timestamp",
]);

/** True for a counter, a time, or a part of a request, which are shown elsewhere or are internal to the chart. */
export function isBookkeeping(path: Path): boolean {
  const [top] = path;
  const last = path.at(-1);
  return (
    COUNTERS.has(String(top)) ||
    (path.length > 1 && typeof last === "string" && top !== "messages" && TIMES.has(last))
  );
}

const rankOf = ({ path: [top] }: Difference): number => {
  const rank = ORDER.indexOf(String(top));
  return rank === -1 ? ORDER.length : rank;
};

/** The differences that a person cares about, the most telling ones first, and the others. */
export function orderDifferences(all: readonly Difference[]): {
  readonly telling: readonly Difference[];
  readonly bookkeeping: readonly Difference[];
} {
  const { telling = [], bookkeeping = [] } = Object.groupBy(all, ({ path }) =>
    isBookkeeping(path) ? "bookkeeping" : "telling",
  );
  return { telling: telling.toSorted((a, b) => rankOf(a) - rankOf(b)), bookkeeping };
}
