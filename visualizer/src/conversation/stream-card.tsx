import { Icon } from "../parts/icon.tsx";
import type { StreamBlock } from "../logic/stream-text.ts";
import { useModel } from "../store/use-model.ts";
import { Markdown } from "./markdown.tsx";
import { Thinking } from "./thinking.tsx";

/** The answer that is being written. */
export function StreamCard({ blocks }: { readonly blocks: readonly StreamBlock[] }) {
  const hasHoles = useModel((all) => all.stream.hasHoles);
  return (
    <article
      className="message is-streaming"
      data-tone="violet"
      data-testid="streaming"
      aria-label="The answer that is being written"
    >
      <header>
        <Icon name="model" />
        <strong>assistant</strong>
        <span className="chip">writing</span>
        {hasHoles && (
          <span
            className="chip"
            data-tone="amber"
            title="Parts were left out on the way; the stored message will have them"
          >
            with gaps
          </span>
        )}
      </header>
      {blocks.map((block, place) => (
        <StreamPiece
          key={`${block.messageId} ${block.index}`}
          block={block}
          isLast={place === blocks.length - 1}
        />
      ))}
    </article>
  );
}

function StreamPiece({ block, isLast }: { readonly block: StreamBlock; readonly isLast: boolean }) {
  if (block.kind === "thinking") return <Thinking text={block.text} isOpen={isLast} />;
  if (block.kind === "text") return <Markdown text={block.text} />;
  return (
    <section className="call" data-tone="cyan">
      <div className="call-head">
        <Icon name="tool" />
        <strong className="mono">{block.name ?? "a tool"}</strong>
      </div>
      <pre className="args">{block.text}</pre>
    </section>
  );
}
