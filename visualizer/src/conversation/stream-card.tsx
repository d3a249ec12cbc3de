import { Icon } from "../parts/icon.tsx";
import type { StreamBlock } from "../logic/stream-text.ts";
import { useModel } from "../store/use-model.ts";
import { Markdown } from "./markdown.tsx";
import { Thinking } from "./thinking.tsx";
import { t } from "../words/t.ts";

/** The answer that is being streamed. */
export function StreamCard({ blocks }: { readonly blocks: readonly StreamBlock[] }) {
  const hasGaps = useModel((all) => all.stream.hasGaps);
  return (
    <article
      className="message is-streaming"
      data-tone="violet"
      data-testid="streaming"
      aria-label={t("Answer in progress")}
    >
      <header>
        <Icon name="model" />
        <strong>{t("assistant")}</strong>
        <span className="badge">{t("writing")}</span>
        {hasGaps && (
          <span
            className="badge"
            data-tone="amber"
            title={t("Some parts were dropped; the stored message will be complete")}
          >
            {t("with gaps")}
          </span>
        )}
      </header>
      {blocks.map((block, place) => (
        <StreamedBlock
          key={`${block.messageId} ${block.index}`}
          block={block}
          isLast={place === blocks.length - 1}
        />
      ))}
    </article>
  );
}

function StreamedBlock({ block, isLast }: { readonly block: StreamBlock; readonly isLast: boolean }) {
  if (block.kind === "thinking") return <Thinking text={block.text} isOpen={isLast} />;
  if (block.kind === "text") return <Markdown text={block.text} />;
  return (
    <section className="call" data-tone="cyan">
      <div className="call-head">
        <Icon name="tool" />
        <strong className="mono">{block.name ?? t("a tool")}</strong>
      </div>
      <pre className="args">{block.text}</pre>
    </section>
  );
}
