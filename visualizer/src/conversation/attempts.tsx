import { duration } from "../logic/format.ts";
import type { Work } from "../logic/work.ts";

/** The time from the first attempt to the end of the last one, ms; undefined while one runs, or if none did. */
export function timeOf(attempts: readonly Work[]): number | undefined {
  const [first] = attempts;
  const end = attempts.at(-1)?.end;
  return first === undefined || end === undefined ? undefined : end - first.begin;
}

/** The attempts of a call or of a request that failed before the last one, each with why. The result says why the last one failed. */
export function FailedAttempts({
  attempts,
  hasResult,
}: {
  readonly attempts: readonly Work[];
  readonly hasResult: boolean;
}) {
  const failed = (hasResult ? attempts.slice(0, -1) : attempts).filter(({ state }) => state === "failed");
  if (failed.length === 0) return null;
  return (
    <ul className="failed-attempts" aria-label="Failed attempts">
      {failed.map(({ id, kind, name, attempt, begin, end = begin, detail }) => (
        <li key={id}>
          <strong>{kind === "model" ? name : `attempt ${attempt}`}</strong> failed after{" "}
          <span className="num">{duration(end - begin)}</span>
          {detail !== "" && `: ${detail}`}
        </li>
      ))}
    </ul>
  );
}
