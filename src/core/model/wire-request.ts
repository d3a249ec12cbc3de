import type { JsonObject } from "../base/json.ts";

/** A request as an adapter makes it, without secrets. */
export type WireRequest = {
  /** The URL to which it is sent; absent where a package of the provider decides it. */
  readonly url?: string;
  /** A key stands there as the variable that would hold it, such as `$OPENAI_API_KEY`. */
  readonly headers: { readonly [name: string]: string };
  readonly body: JsonObject;
  /** The content that is not in it, in sentences. */
  readonly notes: readonly string[];
};

/** Returns a URL without what may be a secret: a password, and the values of its query but for versions. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password, url.hash] = ["", "", ""];
  for (const name of url.searchParams.keys())
    if (!/version/i.test(name)) url.searchParams.set(name, "REDACTED");
  return url.href;
}
