import type { WireRequest } from "../wire/types.ts";

/** A variable of the shell that stands for a key in a header. */
const VARIABLE = /(\$[A-Z][A-Z0-9_]*)/;

/** Returns a request as a command of a POSIX shell; undefined without a URL. The shell takes nothing of it as code: variables are
 *  replaced in headers only, where they stand for keys. */
export function curlOf({ url, headers, body }: WireRequest): string | undefined {
  if (url === undefined) return undefined;
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quotedHeader(`${name}: ${value}`)}`);
  return [`curl ${quoted(url)}`, ...lines, `--data-raw ${quoted(JSON.stringify(body))}`].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const quotedHeader = (text: string): string =>
  text
    .split(VARIABLE)
    .map((part) => (part === "" ? "" : VARIABLE.test(part) ? `"${part}"` : quoted(part)))
    .join("");
