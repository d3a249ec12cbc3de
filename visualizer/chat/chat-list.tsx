import { ago } from "../src/logic/format.ts";
import { useNow } from "../src/parts/use-now.ts";
import { addressOf } from "./address.ts";
import type { Chat } from "./server.ts";
import { t } from "../src/words/t.ts";

const PHASES: { readonly [phase: string]: string } = {
  suspended: t("waits for you"),
  running: "running",
  unfinished: t("goes on soon"),
  quarantined: "quarantined",
};

type Props = {
  readonly chats: readonly Chat[];
  readonly selected: string | undefined;
  readonly show: (id: string) => void;
};

/** The stored chats, the newest first. */
export function ChatList({ chats, selected, show }: Props) {
  const now = useNow(30_000);
  if (chats.length === 0) return <p className="muted">{t("No chats yet.")}</p>;
  return (
    <ul>
      {chats.map(({ id, title, agent, phase, updatedAt }) => (
        <li key={id}>
          <a
            className="chat-link"
            href={addressOf(id)}
            aria-current={id === selected ? "page" : undefined}
            onClick={() => show(id)}
          >
            <span className="title">{title ?? id}</span>
            <small>
              {[agent, PHASES[phase], ago(updatedAt, now)].filter((part) => part !== undefined).join(" · ")}
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
}
