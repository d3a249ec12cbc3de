import { clock } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import type { PendingItem } from "../wire/types.ts";

export function Arguments({ item }: { readonly item: PendingItem }) {
  const entries = Object.entries(item.input);
  const [first] = entries;
  if (entries.length === 1 && first && typeof first[1] === "string")
    return (
      <pre className="asked" tabIndex={0} aria-label={first[0]}>
        {first[1]}
      </pre>
    );
  return (
    <pre className="asked" tabIndex={0} aria-label="Arguments">
      {JSON.stringify(item.input, null, 2)}
    </pre>
  );
}

export function Since({ item }: { readonly item: PendingItem }) {
  const now = useNow(1_000);
  if (item.expiresAt !== undefined)
    return (
      <span className="num" title="Time left to decide">
        {item.expiresAt > now ? `${clock(item.expiresAt - now)} left` : "too late"}
      </span>
    );
  return (
    <span className="num muted" title="Waiting for">
      {clock(now - item.since)}
    </span>
  );
}
