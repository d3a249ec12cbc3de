import { memo } from "react";
import type { TurnMessage, UIPart } from "../../src/core/event/conversation/message-fold.ts";
import { Markdown } from "../src/conversation/markdown.tsx";
import { pictureType } from "../src/logic/picture-type.ts";
import { Icon } from "../src/parts/icon.tsx";
import { CallView } from "./call-view.tsx";
import { SaidAgain } from "./said-again.tsx";
import { CopyButton } from "./copy-button.tsx";
import { t } from "../src/words/t.ts";

type Props = {
  readonly message: TurnMessage;
  readonly agent: string | undefined;
  /** Says a message of the user again, in a new chat; undefined if that is not possible. */
  readonly again: ((message: string, text?: string) => void) | undefined;
};

/** What a user has said, or a turn. */
export const MessageView = memo(function MessageView({ message, agent, again }: Props) {
  const { id, role, parts } = message;
  const isUser = role === "user";
  if (parts.every(({ type }) => type === "step-start")) return null; // a turn that has failed before it said anything
  return (
    <article
      className="message"
      data-role={role}
      data-tone={isUser ? "blue" : "violet"}
      aria-label={isUser ? t("You") : agent}
    >
      <header>
        <Icon name={isUser ? "user" : "model"} />
        <strong>{isUser ? t("You") : (agent ?? t("Agent"))}</strong>
        <span className="spacer" />
        <CopyButton text={wordsOf(parts)} />
      </header>
      {parts.map((part, index) => (
        <PartView key={String(part["toolCallId"] ?? `${id} ${index}`)} part={part} isUser={isUser} />
      ))}
      <SaidAgain text={wordsOf(parts)} again={again && ((text) => again(id, text))} />
    </article>
  );
});

/** What a message says, without its calls and what was thought. */
const wordsOf = (parts: readonly UIPart[]): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [String(part["text"] ?? "")] : []))
    .join("\n\n")
    .trim();

const textOf = (parts: unknown): string =>
  (Array.isArray(parts) ? (parts as readonly UIPart[]) : [])
    .map(({ type, text }) => (type === "text" ? String(text) : `[${type}]`))
    .join("\n");

function PartView({ part, isUser }: { readonly part: UIPart; readonly isUser: boolean }) {
  const text = String(part["text"] ?? "");
  switch (part.type) {
    case "text":
      if (isUser) return <p className="prose">{text}</p>;
      return (
        <div data-streaming={part["state"] === "streaming" || undefined}>
          <Markdown text={text} />
        </div>
      );
    case "reasoning":
      return (
        <details className="thinking">
          <summary>{part["state"] === "streaming" ? t("thinking …") : t("thinking")}</summary>
          <p className="prose">{text}</p>
        </details>
      );
    case "dynamic-tool":
      return <CallView part={part} />;
    case "steering-message":
      return (
        <p className="prose added">
          <strong>{t("You added:")}</strong> {textOf(part["parts"])}
        </p>
      );
    case "file":
      return <FileView part={part} />;
    case "step-start":
    case "data-ask":
      return null; // what it asks is among what waits
    default:
      return <span className="badge">{part.type}</span>;
  }
}

/** An image that was given as data, or the name of what cannot be shown. */
function FileView({ part }: { readonly part: UIPart }) {
  const [mediaType, url] = [String(part["mediaType"]), String(part["url"])];
  const picture = pictureType(mediaType);
  if (picture === undefined || !url.startsWith("data:")) return <span className="badge">{mediaType}</span>;
  return <img className="said-image" src={`data:${picture}${url.slice(url.indexOf(";"))}`} alt={mediaType} />;
}
