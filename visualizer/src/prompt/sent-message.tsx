import { memo } from "react";
import { compact } from "../logic/format.ts";
import { isMessage } from "../logic/message-shape.ts";
import { lineOf, originText } from "../logic/prompt-texts.ts";
import { Sources } from "../conversation/sources.tsx";
import type { Block, LensRow, Msg } from "../wire/types.ts";
import { BeforeAfter } from "./before-after.tsx";
import { FoldedJson, FoldedText } from "./folded-text.tsx";
import { t } from "../words/t.ts";

const TONES: { readonly [role: string]: string } = {
  user: "blue",
  assistant: "violet",
  tool: "cyan",
  system: "slate",
};

type Props = {
  readonly row: Extract<LensRow, { readonly kind: "message" }> | undefined;
  readonly message: Msg;
  readonly index: number;
  /** The request before did not have it. */
  readonly isNew: boolean;
};

/** A message as it was sent. */
export const SentMessage = memo(function SentMessage({ row, message, index, isNew }: Props) {
  if (!isMessage(message)) return <FoldedJson value={message} />;
  const { role, name, content } = message;
  const origin = row ? originText(row) : "";
  return (
    <article
      className="sent"
      data-sent={index}
      data-tone={TONES[role]}
      aria-label={t`Message ${index + 1}, ${t(role)}`}
    >
      <header>
        <strong>{t(role)}</strong>
        {name !== "" && name !== role && <span className="muted">{name}</span>}
        {origin !== "" && (
          <span className="badge is-text" data-tone={row?.from === "hook" ? "pink" : "amber"}>
            {origin}
          </span>
        )}
        {isNew && (
          <span className="badge" data-tone="green">
            {t("new")}
          </span>
        )}
        <span className="spacer" />
        {row && (
          <span className="num muted" title={t("Estimated tokens")}>
            ≈ {compact(row.size)}
          </span>
        )}
      </header>
      {row?.before && isMessage(row.before) ? (
        <BeforeAfter {...changedTexts(row.before, message)} />
      ) : (
        content.map((block, place) => <SentBlock key={place} block={block} />)
      )}
      {content.length === 0 && <p className="muted">{t("empty")}</p>}
      {row?.from === "hook" && <Sources message={message} />}
    </article>
  );
});

/** The texts of a message before and after a hook; the whole messages if their texts are the same. */
function changedTexts(before: Msg, after: Msg): { readonly before: string; readonly after: string } {
  const [was, is] = [lineOf(before), lineOf(after)];
  if (was !== is) return { before: was, after: is };
  return { before: JSON.stringify(before, null, 1), after: JSON.stringify(after, null, 1) };
}

function SentBlock({ block }: { readonly block: Block }) {
  switch (block.type) {
    case "text":
      return <FoldedText text={block.text} />;
    case "thinking":
      return (
        <div className="sent-part">
          <span className="muted">{t("thinking")}</span>
          <FoldedText text={block.thinking} />
        </div>
      );
    case "tool_use":
      return (
        <div className="sent-part">
          <span className="muted">
            {t("calls")} <strong className="mono">{block.name}</strong>
          </span>
          <FoldedText text={block.rawInput ?? JSON.stringify(block.input, null, 2)} isMono />
        </div>
      );
    case "tool_result":
      return (
        <div className="sent-part">
          <span className="muted">
            {t("result of")} <strong className="mono">{block.name}</strong>
            {block.state !== "success" && ` · ${block.state}`}
          </span>
          {block.output.map((part, place) => (
            <SentBlock key={place} block={part} />
          ))}
        </div>
      );
    case "image":
    case "audio":
    case "video":
      return (
        <span className="badge is-text">
          {`${block.type}: ${block.source.type === "url" ? block.source.url : block.source.mediaType}`}
        </span>
      );
    default:
      return <FoldedJson value={block} />;
  }
}
