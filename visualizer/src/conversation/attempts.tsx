import { ranIn } from "../../../src/core/message/account.ts";
import { cutOff } from "../logic/call-account.ts";
import { duration, safeText } from "../logic/format.ts";
import type { Work } from "../logic/work.ts";
import type { CallAccount } from "../wire/types.ts";
import { t } from "../words/t.ts";

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
  account = {},
}: {
  readonly attempts: readonly Work[];
  readonly hasResult: boolean;
  /** Of a call. */
  readonly account?: CallAccount | undefined;
}) {
  const where = ranIn(account);
  const failed = (hasResult ? attempts.slice(0, -1) : attempts).filter(
    ({ state, attempt }) => state === "failed" || cutOff(account, attempt) !== undefined,
  );
  if (failed.length === 0) return null;
  return (
    <ul className="failed-attempts" aria-label={t("Failed attempts")}>
      {failed.map(({ id, kind, name, attempt, begin, end = begin, detail }) => (
        <li key={id}>
          <strong>{kind === "model" ? name : t`attempt ${attempt}`}</strong> {t("failed after")}{" "}
          <span className="num">{duration(end - begin)}</span>
          {safeText(where(attempt))}
          {detail !== "" && `: ${detail}`}
        </li>
      ))}
    </ul>
  );
}
