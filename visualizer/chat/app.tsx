import { useState } from "react";
import { Button } from "../src/parts/button.tsx";
import { Logo } from "../src/parts/icon.tsx";
import { openChat, useChatId } from "./address.ts";
import { ChatList } from "./chat-list.tsx";
import { Conversation } from "./conversation.tsx";
import { NewChat } from "./new-chat.tsx";
import { ReloadHint } from "./reload-hint.tsx";
import { NoToken } from "./no-token.tsx";
import { useServer } from "./use-server.ts";
import { t } from "../src/words/t.ts";

/** The page: the list of chats, and one of them. */
export function App({ token }: { readonly token: string }) {
  const server = useServer(token);
  const id = useChatId();
  const [isListOpen, setListOpen] = useState(false);
  const { info, isConnected, isRefused, chats, refresh } = server;
  if (isRefused) return <NoToken isWrong />;
  const show = (next: string | undefined): void => {
    openChat(next);
    setListOpen(false);
  };
  return (
    <div className="chat-page" data-list-open={isListOpen || undefined}>
      <header className="bar">
        <button
          type="button"
          className="button quiet list-toggle"
          aria-expanded={isListOpen}
          aria-controls="chats"
          onClick={() => setListOpen(!isListOpen)}
        >
          {t("Chats")}
        </button>
        <span className="logo">
          <Logo />
        </span>
        <strong>{t("Agentchart")}</strong>
        <span className="spacer" />
        {info && (
          <a className="button quiet" href={info.inspector} target="_blank" rel="noreferrer">
            {t("Inspector")}
          </a>
        )}
        <Button icon="plus" label={t("New chat")} onClick={() => show(undefined)} />
      </header>
      {info && !isConnected && (
        <p className="banner" role="status">
          {t("The server does not answer. This page connects again by itself.")}
        </p>
      )}
      {info && <ReloadHint reloads={info.reloads} />}
      {info?.problem !== undefined && (
        <p className="banner is-problem" role="alert">
          {info.problem}
        </p>
      )}
      <nav id="chats" className="chats" aria-label={t("Chats")}>
        <ChatList chats={chats} selected={id} show={show} />
      </nav>
      {id === undefined ? (
        <NewChat token={token} agents={info?.agents ?? []} about={info?.about ?? {}} onBegun={show} />
      ) : (
        <Conversation
          key={id}
          id={id}
          token={token}
          agent={chats.find((chat) => chat.id === id)?.agent}
          inspector={info?.inspector}
          onBegun={show}
          onChange={refresh}
        />
      )}
    </div>
  );
}
