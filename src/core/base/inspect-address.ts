import { configError } from "./error.ts";

const EXPECTED = 'expected "auto" or an address such as http://127.0.0.1:4000#w=TOKEN';

/** Parses the address of an inspector server, with its worker token as `#w=TOKEN`. Throws `config/invalid` for a string that is
 *  not an http(s) URL. */
export function parseAddress(text: string): { readonly url: string; readonly token?: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const withoutToken = text.split("#")[0]!;
    throw configError(`createAgent: \`inspect\` is "${withoutToken}"; ${EXPECTED}.`);
  }
  const token = new URLSearchParams(url.hash.slice(1)).get("w");
  return { url: url.origin, ...(token && { token }) };
}
