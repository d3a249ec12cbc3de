import { memo } from "react";
import type { MessageItem } from "../logic/conversation-items.ts";
import { compact, duration, safeText } from "../logic/format.ts";
import { isInherited } from "../logic/inherited.ts";
import { isBlob } from "../logic/json-rows.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { BlobValue } from "../parts/json-value.tsx";
import { Icon } from "../parts/icon.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { canFork, editMessage } from "../store/open-fork.ts";
import { useModel } from "../store/use-model.ts";
import { workLog } from "../store/work-log.ts";
import type { Block, Json, Msg } from "../wire/types.ts";
import { FailedAttempts, timeOf } from "./attempts.tsx";
import { CallCard } from "./call-card.tsx";
import { Media } from "./media.tsx";
import { ManyCalls, MAX_UNFOLDED } from "./many-calls.tsx";
import { OriginStep } from "./origin-step.tsx";
import { Markdown } from "./markdown.tsx";
import { Output } from "./output.tsx";
import { Sources } from "./sources.tsx";
import { Thinking } from "./thinking.tsx";
import { t } from "../words/t.ts";

const TONES = { user: "blue", assistant: "violet", tool: "cyan", system: "slate" } as const;
const ICONS = { user: "user", assistant: "model", tool: "tool", system: "file" } as const;

/** A message of the conversation. */
export const MessageCard = memo(
  function MessageCard({ item }: { readonly item: MessageItem }) {
    const { message, isDraft } = item;
    const index = useModel((all) => all.chart?.index);
    const step = model.run.stepOfMessage(message.id);
    const isFromOriginal = step !== undefined && isInherited(model.run, model.row, step);
    const canEdit = useModel(canFork);
    const calls = message.content.filter((block) => block.type === "tool_use");
    const isAnswer = message.role === "assistant" && step !== undefined;
    const requests = isAnswer ? workLog(model.run, index).requestsAt(step) : [];
    const took = timeOf(requests.slice(-1)) ?? message.usage?.durationMs;
    return (
      <article
        className="message"
        data-tone={TONES[message.role]}
        data-message={message.id}
        aria-label={t`Message from ${isAdded(message) ? t("a hook") : t(message.role)}`}
      >
        <header>
          <Icon name={ICONS[message.role]} />
          <strong>{authorOf(message)}</strong>
          {changersOf(message) !== "" && (
            <span className="badge" data-tone="amber" title={changersOf(message)}>
              {changersOf(message)}
            </span>
          )}
          {item.standsFor !== undefined && (
            <span className="badge" data-tone="amber">
              {t("summary: the model sees it in place of the")} {item.standsFor} {t("messages above")}
            </span>
          )}
          {requests.at(-1)?.name === t("fallback model") && (
            <span className="badge" data-tone="amber">
              {t("fallback model")}
            </span>
          )}
          {isDraft && <span className="badge">{t("not stored yet")}</span>}
          {message.reason && message.reason !== "MODEL_STOP" && (
            <span className="badge mono">{message.reason}</span>
          )}
          {isObject(message.metadata) && message.metadata["by"] === "inspector" && (
            <span className="badge">{t("sent from the inspector")}</span>
          )}
          <span className="meta">
            {took !== undefined && (
              <span className="num muted" title={t("How long the model took to answer")}>
                {duration(took)}
              </span>
            )}
            {message.usage && (
              <span className="num muted" title={t("Tokens in and out")}>
                {compact(message.usage.inputTokens)}↓ {compact(message.usage.outputTokens)}↑
              </span>
            )}
            {canEdit && step !== undefined && !isDraft && item.standsFor === undefined && (
              <button
                type="button"
                className="step"
                title={t("Edit and run again")}
                aria-label={t("Edit and run again")}
                onClick={() => editMessage(message)}
              >
                <Icon name="fork" />
              </button>
            )}
            {isAnswer && !isFromOriginal && (
              <button
                type="button"
                className="step"
                title={t("Show what the model was sent")}
                onClick={() => {
                  goTo(step);
                  model.set({ tab: "prompt" });
                }}
              >
                {t("prompt")}
              </button>
            )}
            {isFromOriginal && <OriginStep messageId={message.id} />}
            {step !== undefined && !isFromOriginal && (
              <button
                type="button"
                className="step num"
                title={t("Show the step that stored this message")}
                onClick={() => goTo(step)}
              >
                #{step}
              </button>
            )}
          </span>
        </header>
        <FailedAttempts attempts={requests} hasResult />
        {message.content.map((block, index) =>
          calls.length > MAX_UNFOLDED && block.type === "tool_use" ? null : (
            <BlockOf key={index} block={block} item={item} />
          ),
        )}
        {calls.length > MAX_UNFOLDED && <ManyCalls calls={calls} item={item} />}
        {message.content.length === 0 && <p className="muted">{t("empty")}</p>}
        <Sources message={message} />
      </article>
    );
  },
  ({ item: before }, { item: after }) =>
    before.message === after.message &&
    before.isDraft === after.isDraft &&
    before.standsFor === after.standsFor &&
    areEqual(before.results, after.results) &&
    areEqual(before.open, after.open) &&
    areEqual(before.outputs, after.outputs),
);

const isAdded = ({ addedBy }: Msg): boolean => typeof addedBy === "string";

/** Who speaks: the hook that added the message, the agent with its persona, or the role. */
function authorOf({ role, name, addedBy, metadata }: Msg): string {
  if (typeof addedBy === "string") return t`hook ${safeText(addedBy)}`;
  const persona = isObject(metadata) ? metadata["persona"] : undefined;
  const speaker = role === "assistant" && name !== "" ? name : t(role);
  return typeof persona === "string" ? t`${speaker} as ${safeText(persona)}` : speaker;
}

/** The hooks that changed the message, as words; "" if none did. */
function changersOf({ changedBy }: Msg): string {
  if (!Array.isArray(changedBy) || changedBy.length === 0) return "";
  return t`changed by the hook ${changedBy.map((hook) => safeText(String(hook))).join(", ")}`;
}

function areEqual<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

function BlockOf({ block, item }: { readonly block: Block; readonly item: MessageItem }) {
  switch (block.type) {
    case "text":
      return <Prose text={block.text} isMarkdown={item.message.role !== "user"} />;
    case "thinking":
      return <Thinking text={block.thinking} />;
    case "tool_use":
      return (
        <CallCard
          call={block}
          result={item.results.get(block.id)}
          record={item.open.get(block.id)}
          output={item.outputs.get(block.id)}
        />
      );
    case "tool_result":
      return <Output result={block} />;
    case "image":
    case "audio":
    case "video":
      return <Media block={block} />;
    case "provider":
      return (
        <span className="badge">
          {t("provider data:")} {block.kind}
        </span>
      );
    default:
      return <span className="badge">{(block as { readonly type: string }).type}</span>;
  }
}

/** A text, or a blob that is loaded when it is opened. */
function Prose({ text, isMarkdown }: { readonly text: Json; readonly isMarkdown: boolean }) {
  if (isBlob(text)) return <BlobValue {...text} />;
  return isMarkdown ? <Markdown text={String(text)} /> : <p className="prose">{String(text)}</p>;
}
