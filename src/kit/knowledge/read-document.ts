import { configError, messageOf } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { throwIfAborted } from "../../core/model/abort.ts";
import { Pauses } from "./pauses.ts";

/** The text of a document: in one part, or in one for each page. */
export type DocumentText = {
  readonly parts: readonly { readonly text: string; readonly meta: JsonObject }[];
  /** The way in which it is split. */
  readonly by: "markdown" | "text";
};

type Reader = (bytes: Uint8Array, pauses: Pauses) => Promise<DocumentText>;

const whole = (text: string, by: DocumentText["by"]): DocumentText => ({ parts: [{ text, meta: {} }], by });

/** The number of bytes that are decoded between two looks at the time. */
const CHUNK = 1_000_000;

async function decoded(bytes: Uint8Array, pauses: Pauses): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  const next = (from: number): string => {
    try {
      return decoder.decode(bytes.subarray(from, from + CHUNK), { stream: from + CHUNK < bytes.length });
    } catch {
      throw new Error("it is not UTF-8 text");
    }
  };
  for (let from = 0; from < bytes.length; from += CHUNK) {
    parts.push(next(from));
    await pauses.pause();
  }
  return parts.join("");
}

const readText: Reader = async (bytes, pauses) => whole(await decoded(bytes, pauses), "text");
const readMarkdown: Reader = async (bytes, pauses) => {
  const text = await decoded(bytes, pauses);
  const end = text.startsWith("---\n") ? text.indexOf("\n---\n", 3) : -1;
  return whole(end < 0 ? text : text.slice(end + 5), "markdown");
};

const readHtml: Reader = async (bytes, pauses) => {
  const { htmlToText } = await import("./html.ts");
  return whole(await htmlToText(await decoded(bytes, pauses), pauses), "markdown");
};

const readPdf: Reader = async (bytes) => {
  const unpdf = await import("unpdf").catch(() => {
    throw new Error("it needs the package unpdf: npm install unpdf");
  });
  const pdf = await unpdf.getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 }); // takes the bytes away
  try {
    const { text } = await unpdf.extractText(pdf, { mergePages: false });
    const pages = text.map((page, index) => ({ text: page, meta: { page: index + 1 } }));
    return { parts: pages.filter((page) => page.text.trim() !== ""), by: "text" };
  } finally {
    await pdf.loadingTask.destroy();
  }
};

const READERS: { readonly [extension: string]: Reader } = {
  txt: readText,
  text: readText,
  rst: readText,
  md: readMarkdown,
  markdown: readMarkdown,
  html: readHtml,
  htm: readHtml,
  pdf: readPdf,
};

const readerOf = (name: string): Reader | undefined => {
  const extension = /\.([^./\\]+)$/u.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(READERS, extension) ? READERS[extension] : undefined;
};

/** True for a file that {@link readDocument} reads. */
export const isReadable = (name: string): boolean => readerOf(name) !== undefined;

/**
 * Reads the text of a file of text, Markdown, HTML or, with the package `unpdf`, PDF; the extension of its name says which. Rejects
 * `config/invalid` that names the file and the reason, such as damage, another encoding than UTF-8, or no text, and `run/aborted` once
 * the signal is aborted. A long page is read in parts, between which others get their turn.
 *
 * @example
 * ```ts
 * import { readDocument } from "agentchart/knowledge";
 *
 * const { parts } = await readDocument("faq.html", new TextEncoder().encode("<h1>Refunds</h1> Five days."));
 * ```
 */
export async function readDocument(
  name: string,
  bytes: Uint8Array,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<DocumentText> {
  const { signal = new AbortController().signal } = options;
  try {
    const read = readerOf(name);
    if (!read) throw new Error(`expected one of .${Object.keys(READERS).join(", .")}`);
    const document = await read(bytes, new Pauses(signal));
    if (document.parts.every(({ text }) => text.trim() === "")) throw new Error("it has no text");
    return document;
  } catch (error) {
    throwIfAborted(signal);
    const message = `The document ${name} cannot be read: ${messageOf(error)}.`;
    throw configError(message.replace(/\.\.$/u, "."), { cause: error });
  }
}
