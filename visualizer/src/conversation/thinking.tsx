import { isBlob } from "../logic/json-rows.ts";
import { BlobValue } from "../parts/json-value.tsx";
import type { Json } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The thinking of a model; collapsed unless it is in progress. */
export function Thinking({ text, isOpen = false }: { readonly text: Json; readonly isOpen?: boolean }) {
  return (
    <details className="thinking" open={isOpen}>
      <summary>{t("thinking")}</summary>
      {isBlob(text) ? <BlobValue {...text} /> : <p className="prose">{String(text)}</p>}
    </details>
  );
}
