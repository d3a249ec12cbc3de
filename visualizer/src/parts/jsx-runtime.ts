import { Fragment, jsx as make, jsxs as makeAll, type JSX } from "react/jsx-runtime";
import { plain } from "../logic/format.ts";
import { isBlob, preview } from "../logic/json-rows.ts";
import { isObject } from "../../../src/base/is-object.ts";
import type { JsonObject } from "../wire/types.ts";

type Make = typeof make;
type Props = Readonly<Record<string, unknown>>;

/** What is read or heard of an element. What is typed and sent, its value, is not among it. */
const READ = ["children", "title", "placeholder", "alt", "aria-label", "aria-valuetext", "aria-description"];

/** All that the page says goes through here, so that no words of a model, a tool or an agent get past {@link plain}. */
const saying =
  (make: Make): Make =>
  (type, props, key) =>
    make(type, typeof type === "string" || type === Fragment ? readable(props as Props) : props, key);

function readable(props: Props): Props {
  let shown = props;
  for (const name of READ) {
    const said = props[name];
    const safe = readableWords(said);
    if (safe !== said) shown = { ...shown, [name]: safe };
  }
  return shown;
}

function readableWords(said: unknown): unknown {
  if (typeof said === "string") return plain(said);
  if (isBlob(said)) return `${plain(said.head)} …`;
  if (isData(said)) return plain(preview(said));
  if (!Array.isArray(said)) return said;
  const safe = said.map(readableWords);
  return safe.some((each, index) => each !== said[index]) ? safe : said;
}

/** True for an object out of JSON, which is nothing that React draws. */
function isData(said: unknown): said is JsonObject {
  return isObject(said) && typeof (said as { $$typeof?: unknown }).$$typeof !== "symbol";
}

export const jsx = saying(make);
export const jsxs = saying(makeAll);
/** What a page that is not built calls. */
export const jsxDEV = (type: Parameters<Make>[0], props: unknown, key?: string, isStatic?: boolean) =>
  (isStatic ? jsxs : jsx)(type, props, key);
export { Fragment, type JSX };
