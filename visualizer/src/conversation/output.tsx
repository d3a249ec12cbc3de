import { useState } from "react";
import { bytes } from "../logic/format.ts";
import { isBlob } from "../logic/json-rows.ts";
import { BlobChip } from "../parts/json-value.tsx";
import type { Json, ToolResultBlock } from "../wire/types.ts";

const SHOWN = 700;
const LINES = 9;

/** What a tool gave back: as text, exactly as the model gets it. */
export function Output({ result }: { readonly result: ToolResultBlock }) {
  return (
    <div className="output" data-result={result.state}>
      {result.code !== undefined && (
        <span className="chip mono" data-tone="red">
          {result.code}
        </span>
      )}
      {result.output.map((part, index) =>
        "text" in part ? (
          <Text key={index} text={part.text} />
        ) : (
          <span key={index} className="chip">
            {part.type}: {part.source.type === "url" ? part.source.url : part.source.mediaType}
          </span>
        ),
      )}
      {result.output.length === 0 && <span className="muted">no output</span>}
    </div>
  );
}

function Text({ text }: { readonly text: Json }) {
  const [isWhole, setWhole] = useState(false);
  if (isBlob(text)) return <BlobChip {...text} />;
  const all = String(text);
  const head = all.slice(0, SHOWN).split("\n").slice(0, LINES).join("\n");
  const isLong = head.length < all.length;
  return (
    <>
      <pre>{isWhole ? all : head}</pre>
      {isLong && (
        <button type="button" className="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "less" : `all ${bytes(all.length)}`}
        </button>
      )}
    </>
  );
}
