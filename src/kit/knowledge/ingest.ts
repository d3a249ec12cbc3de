import * as s from "../../core/base/option-schema.ts";
import { createHash } from "node:crypto";
import { configError, messageOf } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import { throwIfAborted } from "../../core/model/abort.ts";
import type { Embedder } from "../../core/model/embedder.ts";
import { vectorsOf } from "../../core/model/vectors.ts";
import { passageId, type KnowledgeStore, type NewPassage } from "./port.ts";
import { Pauses } from "./pauses.ts";
import { readDocument, isReadable } from "./read-document.ts";
import { passagesOf, splitSchema, type SplitOptions } from "./split.ts";
import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";

/** The progress of an ingest. */
export type IngestProgress = {
  /** The document that is worked on. */
  readonly source: string;
  /** The number of documents that are done, and their total number. */
  readonly done: number;
  readonly total: number;
  /** The number of passages that were added by now. */
  readonly passages: number;
};

/** The result of an ingest. */
export type IngestResult = {
  /** The documents that are new or were changed. */
  readonly added: readonly string[];
  /** The documents that were there already. */
  readonly unchanged: number;
  /** The documents that were removed because their files are gone. */
  readonly removed: readonly string[];
  /** The files that were left out, and why. */
  readonly skipped: readonly { readonly source: string; readonly reason: string }[];
  /** The number of passages that were added; those that a document had already do not count. */
  readonly passages: number;
};

/** Options of {@link ingest}. */
export type IngestOptions = {
  readonly store: KnowledgeStore;
  /** A folder or a file. The source of a document is the name of the folder and the path in it. */
  readonly path: string;
  /** Makes the vectors; all documents of a store need the same. Default: no vectors. */
  readonly embed?: Embedder | undefined;
  /** The options by which texts are split; `by` follows from the kind of file. */
  readonly split?: Omit<SplitOptions, "by"> | undefined;
  /** The largest file that is read, bytes; default 20,000,000. */
  readonly maxBytes?: number | undefined;
  /** True removes documents of this folder whose files are gone. Default false. */
  readonly prune?: boolean | undefined;
  /** Once aborted, it rejects `run/aborted`; the next one goes on. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
};

/** The schema of {@link IngestOptions}. */
export const ingestSchema = s.lazily(() =>
  s.options<IngestOptions>(
    {
      store: s.having("put", "a KnowledgeStore, such as sqliteKnowledge({ path })"),
      path: s.nonEmpty("the path of a folder or a file"),
      embed: s.optional(s.having("embed", "an Embedder, such as openaiEmbedder({ model, apiKey })")),
      split: s.optional(s.accepted<Omit<SplitOptions, "by">>(splitSchema())),
      maxBytes: s.optional(s.integer(1)),
      prune: s.optional(s.boolean()),
      signal: s.optional(s.object<AbortSignal>("an AbortSignal")),
      onProgress: s.optional(s.func()),
    },
    { what: "an object with `store` and `path`" },
  ),
);

type Read =
  | { readonly hash: string; readonly passages: readonly NewPassage[] | undefined }
  | { readonly reason: string };

/** The number of passages that are embedded and stored at once: the maximum that is lost if the process is killed. */
const BATCH = 64;
/** The number of characters of passages that are put at once: a store of this process indexes them without a pause. */
const PUT_CHARACTERS = 16_000;
/** The number of bytes that are hashed, and of characters looked at, between two looks at the time. */
const HASHED = 500_000;
/** The passages of a batch in parts of about {@link PUT_CHARACTERS}; one part if there are none. */
function partsOf(batch: readonly NewPassage[]): readonly (readonly NewPassage[])[] {
  const parts: NewPassage[][] = [[]];
  let length = 0;
  for (const passage of batch) {
    if (length > 0 && length + passage.text.length > PUT_CHARACTERS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)!.push(passage);
    length += passage.text.length;
  }
  return parts;
}

/** Goes up when the same file would be split in another way. */
const VERSION = 1;

/**
 * Reads the documents of a folder into a store: text, Markdown, HTML, and PDF with the package `unpdf`. A document that is there
 * already and has not changed is left as it is; one that was interrupted goes on with the passage that is missing. Files that are
 * damaged, too large or links out of the folder are named in the result and left out.
 *
 * Rejects `config/invalid` for wrong options, a path without a file, and a store of another embedder; and with the errors of the store
 * and the embedder.
 *
 * @example
 * ```ts
 * import { ingest, sqliteKnowledge } from "agentchart/knowledge";
 *
 * export async function addManuals(): Promise<void> {
 *   const store = sqliteKnowledge({ path: "./manuals.db" });
 *   const { skipped } = await ingest({ store, path: "./manuals" });
 *   for (const { source, reason } of skipped) console.error(`${source}: ${reason}`);
 *   await store.close();
 * }
 * ```
 */
export async function ingest(options: IngestOptions): Promise<IngestResult> {
  check(ingestSchema(), options, "ingest");
  const { store, path, embed, maxBytes = 20_000_000, prune = false, onProgress } = options;
  const signal = options.signal ?? new AbortController().signal;
  const pauses = new Pauses(signal);
  const { name, files } = await filesOf(path);
  const added: string[] = [];
  const skipped: { source: string; reason: string }[] = [];
  let unchanged = 0;
  let passages = 0;

  for (const [done, file] of files.entries()) {
    throwIfAborted(signal);
    const { source } = file;
    const report = (): void => onProgress?.({ source, done, total: files.length, passages });
    report();
    const known = await store.find(source);
    const read = await readPassages(file, known?.hash);
    if ("reason" in read) skipped.push({ source, reason: read.reason });
    else if (read.passages === undefined) unchanged++;
    else {
      const wanted = new Map<string, NewPassage>();
      for (const each of read.passages) {
        wanted.set(passageId(source, each.text), each);
        if (pauses.isDue) await pauses.pause();
      }
      const there = new Set(known?.ids);
      const missing: NewPassage[] = [];
      for (const [id, passage] of wanted) {
        if (!there.has(id)) missing.push(passage);
        if (pauses.isDue) await pauses.pause();
      }
      // Another embedder is refused, also if nothing is missing.
      for (let from = 0; from === 0 || from < missing.length; from += BATCH) {
        throwIfAborted(signal);
        const batch = missing.slice(from, from + BATCH);
        for (const part of partsOf(await embedded(batch))) {
          await store.put(source, part, embed && { embedder: embed });
          await pauses.pause();
        }
        passages += batch.length;
        report();
      }
      await store.finish({ source, hash: read.hash }, [...wanted.keys()]);
      added.push(source);
    }
  }
  onProgress?.({ source: name, done: files.length, total: files.length, passages });
  return { added, unchanged, removed: prune ? await removeMissing() : [], skipped, passages };

  /** The passages of a file, none if it has the hash that is known; or why it is left out. */
  async function readPassages(
    { source, path: from, refused }: FolderFile,
    known: string | undefined,
  ): Promise<Read> {
    if (refused !== undefined) return { reason: refused };
    try {
      const bytes = await readFileWithin(from, maxBytes);
      const settings = [VERSION, options.split ?? {}, embed?.name ?? null, embed?.dimensions ?? null];
      const hash = await hashOf(JSON.stringify(settings), bytes);
      if (hash === known) return { hash, passages: undefined };
      const { parts, by } = await readDocument(source, bytes, { signal });
      const all: NewPassage[] = [];
      for (const { text, meta } of parts)
        for (const passage of passagesOf(await unixText(text), { ...options.split, by })) {
          all.push({ text: passage, meta });
          if (pauses.isDue) await pauses.pause();
        }
      return { hash, passages: all };
    } catch (error) {
      throwIfAborted(signal);
      return { reason: messageOf(error) };
    }
  }

  /** A text with the line ends of Unix, as it is split. */
  async function unixText(text: string): Promise<string> {
    if (!text.includes("\r\n")) return text;
    const parts: string[] = [];
    for (let from = 0; from < text.length;) {
      const end = from + HASHED;
      const to = text.startsWith("\r\n", end - 1) ? end - 1 : end;
      parts.push(text.slice(from, to).replaceAll("\r\n", "\n"));
      from = to;
      await pauses.pause();
    }
    return parts.join("");
  }

  async function hashOf(settings: string, bytes: Uint8Array): Promise<string> {
    const hash = createHash("sha256").update(settings);
    for (let from = 0; from < bytes.length; from += HASHED) {
      hash.update(bytes.subarray(from, from + HASHED));
      await pauses.pause();
    }
    return hash.digest("base64url");
  }

  async function embedded(batch: readonly NewPassage[]): Promise<readonly NewPassage[]> {
    if (!embed || batch.length === 0) return batch;
    const texts = batch.map(({ text }) => text);
    const vectors = await vectorsOf(embed, texts, { signal, kind: "document" });
    return batch.map((passage, index) => ({ ...passage, vector: vectors[index]! }));
  }

  async function removeMissing(): Promise<readonly string[]> {
    const sources = new Set(files.map(({ source }) => source));
    const gone: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.documents(cursor === undefined ? {} : { cursor });
      for (const { source } of page.documents)
        if (source.startsWith(`${name}/`) && !sources.has(source)) gone.push(source);
      cursor = page.cursor;
    } while (cursor !== undefined);
    for (const source of gone) await store.remove(source);
    return gone;
  }
}

/** A file of a folder: `source` is the name of the folder and the path in it. Or why it is left out. */
type FolderFile = { readonly source: string; readonly path: string; readonly refused?: string };
/** The content of a path. The sources of its files are `name`, or begin with it and a slash. */
type Folder = { readonly name: string; readonly files: readonly FolderFile[] };

/** The files of a folder that can be read, in the order of their names, without hidden ones and packages; or one file. Links are not
 *  followed, and those that lead out of the folder are refused. Rejects `config/invalid` if there is nothing at the path. */
async function filesOf(path: string): Promise<Folder> {
  const root = await realpath(path).catch((error: unknown) => {
    throw configError(`There is no folder or file at ${path}.`, { cause: error });
  });
  const name = basename(root);
  const nameOf = (file: string): string => [name, ...relative(root, file).split(sep)].join("/");
  if ((await lstat(root)).isFile()) return { name, files: [{ source: name, path: root }] };
  const found: FolderFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isSymbolicLink()) {
        const target = await realpath(file).catch(() => undefined);
        const isInside = target === undefined || target === root || target.startsWith(root + sep);
        if (!isInside)
          found.push({ source: nameOf(file), path: file, refused: "it is a link out of the folder" });
      } else if (entry.isDirectory()) await visit(file);
      else if (entry.isFile() && isReadable(entry.name)) found.push({ source: nameOf(file), path: file });
    }
  };
  await visit(root);
  return { name, files: found };
}

/** The content of a file. Rejects with the reason if it is larger than `maxBytes`, a link, or not readable. */
async function readFileWithin(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    throw new Error(`it cannot be opened (${messageOf(error)})`);
  });
  try {
    const { size } = await file.stat();
    const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    if (size > maxBytes)
      throw new Error(`it has ${inMegabytes(size)}, and at most ${inMegabytes(maxBytes)} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
