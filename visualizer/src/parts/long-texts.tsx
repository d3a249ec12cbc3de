import { longTexts } from "../logic/long-texts.ts";
import type { Json } from "../wire/types.ts";
import { BlobLink } from "./json-value.tsx";

const MOST = 20;

/** Opens each of the first long texts of a value, of which only the beginnings are shown. */
export function LongTexts({ of }: { readonly of: Json }) {
  return [...longTexts(of)].slice(0, MOST).map(([path, text]) => (
    <p key={path} className="note">
      <span className="mono">{path}</span> <BlobLink {...text} />
    </p>
  ));
}
