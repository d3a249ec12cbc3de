import { useState } from "react";
import { bytes } from "../logic/format.ts";
import { isBlob } from "../logic/json-rows.ts";
import { BlobValue } from "../parts/json-value.tsx";
import type { Json, ToolResultBlock } from "../wire/types.ts";

const MAX_HEAD_LENGTH = 700;
const MAX_HEAD_LINES = 9;

/** The result of a tool, exactly as the model gets it. */
export function Output({ result }: { readonly result: ToolResultBlock }) {
  return (
    <div className="output" data-result={result.state}>
      {result.code !== undefined && (
        <span className="badge mono" data-tone="red">
          {result.code}
        </span>
      )}
      {result.output.map((part, index) =>
        "text" in part ? (
          <Text key={index} text={part.text} />
        ) : (
          <span key={index} className="badge">
            {part.type}: {part.source.type === "url" ? part.source.url : part.source.mediaType}
          </span>
        ),
      )}
      {result.output.length === 0 && <span className="muted">no output</span>}
    </div>
  );
}

function Text({ text }: { readonly text: Json }) {
  const [isExpanded, setExpanded] = useState(false);
  if (isBlob(text)) return <BlobValue {...text} />;
  const all = String(text);
  const head = all.slice(0, MAX_HEAD_LENGTH).split("\n").slice(0, MAX_HEAD_LINES).join("\n");
  const isLong = head.length < all.length;
  return (
    <>
      <pre>{isExpanded ? all : head}</pre>
      {isLong && (
        <button type="button" className="link" onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? "show less" : `show all (${bytes(all.length)})`}
        </button>
      )}
    </>
  );
}
