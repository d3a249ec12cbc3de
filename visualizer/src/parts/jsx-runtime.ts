import { Fragment, jsx as make, jsxs as makeAll, type JSX } from "react/jsx-runtime";
import { safeText } from "../logic/format.ts";
import { isBlob, preview } from "../logic/json-rows.ts";
import { isObject } from "../../../src/core/base/json.ts";
import type { JsonObject } from "../wire/types.ts";

type Make = typeof make;
type Props = Readonly<Record<string, unknown>>;

/** The props that are read or spoken. The value of a field is not among them. */
const TEXT_PROPS = [
  "children",
  "title",
  "placeholder",
  "alt",
  "aria-label",
  "aria-valuetext",
  "aria-description",
];

/**
 * Wraps React's JSX runtime: every displayed text passes through {@link safeText}, whichever model, tool or
 * agent wrote it.
 */
const withSafeText =
  (make: Make): Make =>
  (type, props, key) =>
    make(type, typeof type === "string" || type === Fragment ? safeProps(props as Props) : props, key);

function safeProps(props: Props): Props {
  let result = props;
  for (const name of TEXT_PROPS) {
    const value = props[name];
    const safe = safeValue(value);
    if (safe !== value) result = { ...result, [name]: safe };
  }
  return result;
}

function safeValue(value: unknown): unknown {
  if (typeof value === "string") return safeText(value);
  if (isBlob(value)) return `${safeText(value.head)} …`;
  if (isJsonObject(value)) return safeText(preview(value));
  if (!Array.isArray(value)) return value;
  const safe = value.map(safeValue);
  return safe.some((each, index) => each !== value[index]) ? safe : value;
}

/** True for a JSON object, which React cannot render. */
function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && typeof (value as { $$typeof?: unknown }).$$typeof !== "symbol";
}

/** Creates an element with one child or none. */
export const jsx = withSafeText(make);
/** Creates an element with several children. */
export const jsxs = withSafeText(makeAll);
/** The runtime of a development build. */
export const jsxDEV = (type: Parameters<Make>[0], props: unknown, key?: string, isStatic?: boolean) =>
  (isStatic ? jsxs : jsx)(type, props, key);
export { Fragment, type JSX };
