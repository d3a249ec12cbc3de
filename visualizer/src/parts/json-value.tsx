import { isBlob, preview } from "../logic/json-rows.ts";
import { model } from "../store/model.ts";
import type { Json } from "../wire/types.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

/** The maximum number of characters that are displayed inline. */
const INLINE = 240;

/** Displays a value without members; a long text can be opened in a dialog. */
export function Value({ value }: { readonly value: Json }) {
  if (isBlob(value)) return <BlobValue {...value} />;
  const kind =
    value === null ? "null" : Array.isArray(value) || typeof value === "object" ? "empty" : typeof value;
  if (typeof value === "string" && value.length > INLINE)
    return (
      <span className="value is-string">
        {preview(value, INLINE)}{" "}
        <button
          type="button"
          className="link"
          onClick={() => model.set({ dialog: { kind: "blob", sha: "", length: value.length, head: value } })}
        >
          {t("show all (")}
          {characters(value.length)})
        </button>
      </span>
    );
  return <span className={`value is-${kind}`}>{preview(value, INLINE)}</span>;
}

type BlobProps = { readonly $blob: string; readonly length: number; readonly head: string };

/** Displays a blob: its beginning, its size, and a button that opens the whole text. */
export function BlobValue(blob: BlobProps) {
  return (
    <span className="blob">
      <span className="value is-string">{preview(blob.head, 80)}</span>
      <BlobLink {...blob} />
    </span>
  );
}

/** Opens the whole text of a blob. */
export function BlobLink({ $blob, length, head }: BlobProps) {
  return (
    <button
      type="button"
      className="link"
      data-blob={$blob}
      onClick={(event) => {
        event.stopPropagation();
        model.set({ dialog: { kind: "blob", sha: $blob, length, head } });
      }}
    >
      {t("open")} {characters(length)}
    </button>
  );
}
