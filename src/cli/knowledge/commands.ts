import { existsSync } from "node:fs";
import { ingest, type IngestProgress } from "../../kit/knowledge/ingest.ts";
import type { FoundPassage, KnowledgeDocument, KnowledgeStore } from "../../kit/knowledge/port.ts";
import { postgresKnowledge } from "../../kit/knowledge/postgres.ts";
import { sqliteKnowledge } from "../../kit/knowledge/sqlite.ts";
import { configError } from "../../core/base/error.ts";
import { hideSecrets } from "../../core/base/secrets.ts";
import type { Embedder } from "../../core/model/embedder.ts";
import { chooseModel } from "../choose-model.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { interruptible } from "../on-signal.ts";
import { parseStore } from "../open-store.ts";
import { formatTime, printItems, printResult } from "../output.ts";
import { paginate } from "../paginate.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { withClosing } from "../with-cleanup.ts";
import type * as definitions from "./definitions.ts";

/** Opens the store of `--store`. Throws {@link UsageError} for another one, and for a file that is not there unless it may be made. */
export function openKnowledge(spec: string, mayMake: boolean): KnowledgeStore {
  const { kind, path } = parseStore(/^\w\w+:/.test(spec) ? spec : `sqlite:${spec}`);
  if (kind?.startsWith("postgres")) return postgresKnowledge({ connectionString: spec });
  if (kind !== "sqlite")
    throw new UsageError(
      `Unknown store "${hideSecrets(spec)}": use --store FILE, sqlite:FILE or postgres://….`,
    );
  if (!mayMake && !existsSync(path)) throw new UsageError(`There is no knowledge at ${path}.`);
  return sqliteKnowledge({ path });
}

function withKnowledge<T>(
  spec: string,
  use: (store: KnowledgeStore) => Promise<T>,
  { mayMake = false } = {},
): Promise<T> {
  return withClosing(openKnowledge(spec, mayMake), use);
}

type EmbedFlags = {
  readonly embed: string | undefined;
  readonly dimensions: number | undefined;
  readonly baseUrl: string | undefined;
};

async function chooseEmbedder(
  { embed, dimensions, baseUrl }: EmbedFlags,
  env: Environment,
): Promise<Embedder | undefined> {
  if (embed === undefined) return undefined;
  const chosen = chooseModel({ model: embed, baseUrl }, env);
  const { openaiEmbedder } = await import("../../core/model/openai/openai-embedder.ts");
  const isDashscope = new URL(chosen.baseURL).host.endsWith(".aliyuncs.com");
  return openaiEmbedder({
    ...chosen,
    ...(dimensions !== undefined && { dimensions }),
    ...(isDashscope && { batchSize: 10 }),
  });
}

const BAR_WIDTH = 24;

/** Shows how far an ingest is: a bar that moves on a terminal, otherwise a line for each tenth. */
export function progressBar({ terminal }: CliIo): (progress: IngestProgress) => void {
  let tenths = 0;
  return ({ source, done, total, passages }) => {
    const share = total === 0 ? 1 : done / total;
    if (terminal.showsStatus) {
      const full = Math.round(share * BAR_WIDTH);
      const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
      return terminal.status(`${bar} ${done}/${total} documents, ${passages} passages  ${source}`);
    }
    if (Math.floor(share * 10) === tenths) return undefined;
    tenths = Math.floor(share * 10);
    return terminal.note(`${done} of ${total} documents, ${passages} passages`);
  };
}

/** `agentchart knowledge add`. */
export const addCommand: Handler<typeof definitions.add> = async ({ args: { path }, flags }, io) => {
  const embed = await chooseEmbedder(flags, io.env);
  const { size, prune } = flags;
  return interruptible(io, async (signal) => {
    const onProgress = progressBar(io);
    const add = (store: KnowledgeStore) =>
      ingest({ store, path, embed, split: { size }, prune, signal, onProgress });
    try {
      const result = await withKnowledge(flags.store, add, { mayMake: true });
      io.terminal.status("");
      const { added, unchanged, removed, skipped, passages } = result;
      for (const { source, reason } of skipped) io.terminal.warn(`${source} was left out: ${reason}`);
      const line = `Added ${added.length} documents with ${passages} new passages; ${unchanged} were there already, ${removed.length} removed, ${skipped.length} left out.`;
      printResult(io, flags, line, result);
      return skipped.length > 0 ? 1 : 0;
    } catch (error) {
      if (!signal.aborted) throw error;
      io.terminal.warn("Interrupted: the same command goes on.");
      return 1;
    }
  });
};

/** `agentchart knowledge search`. */
export const searchCommand: Handler<typeof definitions.search> = async ({ args, flags }, io) => {
  const embed = await chooseEmbedder(flags, io.env);
  return withKnowledge(flags.store, async (store) => {
    const { query: text } = args;
    const signal = new AbortController().signal;
    const [vector] = embed ? await embed.embed([text], { signal, kind: "query" }) : [];
    const embedding = embed && vector && { by: { name: embed.name, dimensions: embed.dimensions }, vector };
    const found = await store.search({ text, limit: flags.limit, ...(embedding && { embedding }) });
    const rowOf = ({ score, source, text: passage }: FoundPassage): readonly string[] => [
      score.toFixed(3),
      source,
      passage,
    ];
    const none = "Nothing was found.";
    await printItems(io, flags, found, ["SCORE", "SOURCE", "PASSAGE"], rowOf, none);
    return 0;
  });
};

/** `agentchart knowledge ls`. */
export const listCommand: Handler<typeof definitions.list> = ({ flags }, io) =>
  withKnowledge(flags.store, async (store) => {
    const rowOf = ({ source, passages, at, hash }: KnowledgeDocument): readonly string[] => [
      source,
      `${passages}${hash === undefined ? " (unfinished)" : ""}`,
      formatTime(at),
    ];
    const documents = paginate(
      (page) => store.documents(page),
      (page) => page.documents,
    );
    const none = "There are no documents.";
    await printItems(io, flags, documents, ["DOCUMENT", "PASSAGES", "AT"], rowOf, none);
    return 0;
  });

/** `agentchart knowledge rm`. */
export const removeCommand: Handler<typeof definitions.remove> = ({ args: { source }, flags }, io) => {
  if (flags.all === (source !== undefined))
    throw new UsageError("Say what to delete: either a document or --all.");
  return withKnowledge(flags.store, async (store) => {
    if (source !== undefined && !(await store.find(source)))
      throw configError(`There is no document ${source}.`);
    const removed = await store.remove(source);
    printResult(io, flags, `Deleted ${removed} passages.`, { removed });
    return 0;
  });
};
