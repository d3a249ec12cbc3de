import { AgentError, messageOf } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";

/** The text of a document: in one part, or in one for each page. */
export type DocumentText = {
  readonly parts: readonly { readonly text: string; readonly meta: JsonObject }[];
  /** How it is split. */
  readonly by: "markdown" | "text";
};

type Reader = (bytes: Uint8Array) => Promise<DocumentText>;

const whole = (text: string, by: DocumentText["by"]): DocumentText => ({ parts: [{ text, meta: {} }], by });

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

const readText: Reader = async (bytes) => whole(decoded(bytes), "text");
const readMarkdown: Reader = async (bytes) =>
  whole(decoded(bytes).replace(/^---\n[^]*?\n---\n/u, ""), "markdown");

const readHtml: Reader = async (bytes) => {
  const { htmlToText } = await import("./html.ts");
  return whole(htmlToText(decoded(bytes)), "markdown");
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
 * `config/invalid` that names the file and the reason, such as damage, another encoding than UTF-8, or no text.
 *
 * @example
 * ```ts
 * import { readDocument } from "agentchart/knowledge";
 *
 * const { parts } = await readDocument("faq.html", new TextEncoder().encode("<h1>Refunds</h1> Five days."));
 * ```
 */
export async function readDocument(name: string, bytes: Uint8Array): Promise<DocumentText> {
  try {
    const read = readerOf(name);
    if (!read) throw new Error(`expected one of .${Object.keys(READERS).join(", .")}`);
    const document = await read(bytes);
    if (document.parts.every(({ text }) => text.trim() === "")) throw new Error("it has no text");
    return document;
  } catch (error) {
    const message = `The document ${name} cannot be read: ${messageOf(error)}.`;
    throw new AgentError("config/invalid", message.replace(/\.\.$/u, "."), { cause: error });
  }
}
