import { clock } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import type { PendingItem } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The arguments of a call. */
export function Arguments({ item }: { readonly item: PendingItem }) {
  const entries = Object.entries(item.input);
  const [first] = entries;
  if (entries.length === 1 && first && typeof first[1] === "string")
    return (
      <pre className="arguments" tabIndex={0} aria-label={first[0]}>
        {first[1]}
      </pre>
    );
  return (
    <pre className="arguments" tabIndex={0} aria-label={t("Arguments")}>
      {JSON.stringify(item.input, null, 2)}
    </pre>
  );
}

/** The time left to decide, or the time that the call has waited. */
export function WaitTime({ item }: { readonly item: PendingItem }) {
  const now = useNow(1_000);
  if (item.expiresAt !== undefined)
    return (
      <span className="num" title={t("Time left to decide")}>
        {item.expiresAt > now ? t`${clock(item.expiresAt - now)} left` : t("expired")}
      </span>
    );
  return (
    <span className="num muted" title={t("Waiting since")}>
      {clock(now - item.since)}
    </span>
  );
}
