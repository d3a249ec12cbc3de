import { isBlob } from "../logic/json-rows.ts";
import { BlobChip } from "../parts/json-value.tsx";
import type { Json } from "../wire/types.ts";

/** What a model thought; folded unless it is thinking now. */
export function Thinking({ text, isOpen = false }: { readonly text: Json; readonly isOpen?: boolean }) {
  return (
    <details className="thinking" open={isOpen}>
      <summary>thinking</summary>
      {isBlob(text) ? <BlobChip {...text} /> : <p className="prose">{String(text)}</p>}
    </details>
  );
}
