import { AgentError } from "../core/base/error.ts";
import { parsedJson, isObject, type Json, type JsonObject } from "../core/base/json.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { redactSecrets } from "../core/base/secrets.ts";
import { hasher } from "../core/base/hash.ts";
import { keeping, withLease } from "./lease.ts";
import type { JournalEntry, Lease, LoadedSession, SessionInput, SessionStore } from "./port.ts";
import { readPosition } from "./shared.ts";

/** The `format` in the first line of an exported session. */
export const EXPORT_FORMAT = "agentchart.session";
/** The version of the export format; earlier ones stay readable. The checksum of version 1 does not cover the last line. */
export const EXPORT_VERSION = 2;

const ENTRIES_PER_APPEND = 256;
const MAX_INPUTS = 1_000_000;

type Header = {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: number;
  readonly sessionId: string;
  readonly seq: number;
  readonly meta: JsonObject;
};
type End = LoadedSession & {
  readonly sha256: string;
  /** Secrets were replaced: the session cannot run. */
  readonly redacted?: true;
};

/** Options of {@link exportSession}. */
export type ExportOptions = {
  /** True if the values stay whose keys are named like secrets (see `redactSecrets`). Only such an export of a session that has any can be
   *  imported. Default: false. */
  readonly secrets?: boolean | undefined;
};

/** The schema of {@link ExportOptions}. */
export const exportSchema = s.lazily(() => s.options<ExportOptions>({ secrets: s.optional(s.boolean()) }));

/** Returns the `meta` of a session; `{}` if there is none. */
export async function metaOf(store: SessionStore, sessionId: string): Promise<JsonObject> {
  const { sessions } = await store.list({ prefix: sessionId, limit: 1 });
  return sessions[0]?.sessionId === sessionId ? sessions[0].meta : {};
}

/**
 * Yields a session as the lines of one NDJSON file. The lines are a header, each entry, each input that is not acknowledged, and an end
 * with position, checkpoint and a SHA-256 of everything. Every line ends with a newline. Acquires no lease: what is appended during the
 * export is left out. A damaged session is exported up to the damage, as a session that is quarantined. Secrets are replaced by
 * `redactSecrets`, and the end says `redacted` if there were any; `options.secrets` keeps them. Throws `session/not-found`.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { exportSession } from "agentchart/session";
 * import { fileStore } from "agentchart/store/file";
 *
 * const store = fileStore({ dir: "./sessions" });
 * await writeFile("customer-42.ndjson", exportSession(store, "customer-42"));
 * ```
 */
export async function* exportSession(
  store: SessionStore,
  sessionId: string,
  options: ExportOptions = {},
): AsyncGenerator<string> {
  check(exportSchema(), options, "exportSession");
  const { secrets: keepsSecrets = false } = options;
  let isRedacted = false as boolean;
  const redacted = (value: object): object => {
    if (keepsSecrets) return value;
    const safe = redactSecrets(value as Json) as object;
    isRedacted ||= safe !== value;
    return safe;
  };
  let damage: string | undefined;
  const keepDamage = (error: unknown): undefined => {
    if (!isDamage(error)) throw error;
    damage ??= error.message;
  };
  const loaded = await store.load(sessionId).catch(keepDamage);
  const notFound = () => new AgentError("session/not-found", `Session not found: ${sessionId}`);
  if (!loaded && damage === undefined) throw notFound();
  const hash = hasher();
  const line = (value: object): string => {
    const text = `${JSON.stringify(redacted(value))}\n`;
    hash.update(text);
    return text;
  };
  const meta = await metaOf(store, sessionId);
  const { seq: limit = Number.MAX_SAFE_INTEGER } = loaded ?? {};
  const about = { sessionId, seq: loaded?.seq ?? 0, meta };
  yield line({ format: EXPORT_FORMAT, version: EXPORT_VERSION, ...about } satisfies Header);
  let seq = 0;
  try {
    for await (const entry of store.read(sessionId, { limit })) {
      yield line({ entry });
      seq = entry.seq;
    }
  } catch (error) {
    keepDamage(error);
  }
  if (damage === undefined && seq < limit) throw notFound(); // deleted meanwhile
  for (const input of (await store.takeInputs(sessionId, MAX_INPUTS).catch(keepDamage)) ?? [])
    yield line({ input });
  const found: LoadedSession = damage === undefined ? loaded! : { seq, position: quarantined(meta, damage) };
  const safe = redacted(found) as LoadedSession;
  const final = { ...safe, ...(isRedacted && { redacted: true as const }) };
  hash.update(JSON.stringify(final));
  const end: End = { ...final, sha256: hash.digest("hex") };
  yield `${JSON.stringify({ end })}\n`;
}

/** As {@link exportSession} with all secrets; throws for a damaged session instead of leaving out what cannot be read. */
export async function* exportWhole(store: SessionStore, sessionId: string): AsyncGenerator<string> {
  await store.load(sessionId);
  for await (const _ of store.read(sessionId));
  yield* exportSession(store, sessionId, { secrets: true });
}

function isDamage(error: unknown): error is AgentError {
  return AgentError.is(error) && error.code === "session/damaged";
}

/** Returns the position of a quarantined session. */
function quarantined(meta: JsonObject, reason: string): JsonObject {
  return { phase: "quarantined", meta, quarantine: { reason, at: Date.now() } };
}

const damaged = (why: string) => new AgentError("session/damaged", `The exported session ${why}.`);

function parseLine(line: string, number: number): JsonObject {
  const value = parsedJson(line);
  if (value === undefined) throw damaged(`is not JSON in line ${number}`);
  if (isObject(value)) return value;
  throw damaged(number === 1 ? "has no header" : `has no object in line ${number}`);
}

function checkHeader(value: JsonObject): Header {
  if (value["format"] !== EXPORT_FORMAT) throw damaged("has no header");
  if (value["version"] === 1 || value["version"] === EXPORT_VERSION) return value as Header;
  const found = JSON.stringify(value["version"]);
  const message = `The exported session has version ${found}; this release supports 1 to ${EXPORT_VERSION}.`;
  throw new AgentError("session/version", message);
}

/** Yields the lines of a string that comes in chunks of any size. */
async function* linesOf(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

type Exported = {
  readonly header: Header;
  readonly entries: readonly JournalEntry[];
  readonly inputs: readonly SessionInput[];
  readonly end: End;
};

function isInput({ id, data, dueAt = 0 }: Partial<SessionInput>): boolean {
  const isId = typeof id === "string" && id !== "" && id.isWellFormed();
  return isId && isObject(data) && typeof dueAt === "number";
}

async function readExport(chunks: AsyncIterable<string> | Iterable<string>): Promise<Exported> {
  const hash = hasher();
  const entries: JournalEntry[] = [];
  const inputs: SessionInput[] = [];
  let header: Header | undefined;
  let end: End | undefined;
  let number = 0;
  for await (const line of linesOf(chunks)) {
    const value = parseLine(line, ++number);
    if (end) throw damaged("continues after its end");
    if (value["end"]) end = value["end"] as unknown as End;
    else hash.update(`${line}\n`);
    if (!header) header = checkHeader(value);
    else if (value["entry"]) entries.push(value["entry"] as unknown as JournalEntry);
    else if (value["input"]) inputs.push(value["input"] as unknown as SessionInput);
  }
  if (!header || !end) throw damaged("is cut off");
  const { sha256, ...final } = end;
  if (header.version > 1) hash.update(JSON.stringify(final));
  if (sha256 !== hash.digest("hex")) throw damaged("was changed: its checksum is wrong");
  if (entries.length !== end.seq || entries.some(({ seq }, index) => seq !== index + 1))
    throw damaged("misses entries");
  if (!isObject(end.position)) throw damaged("has no position");
  if (!inputs.every(isInput)) throw damaged("has an input of another shape");
  if (end.redacted)
    throw new AgentError(
      "session/redacted",
      "The exported session lacks its secrets and cannot run; expected an export that keeps them.",
    );
  return { header, entries, inputs, end };
}

/**
 * Writes an exported session into a store, under its own id or `options.sessionId`, and returns the id. The export may come in
 * chunks of any size. It is read to its end and checked before anything is written; while it is written, the session is
 * listed as `quarantined`, and a failure removes it, unless another process has it by then; inputs that others have put stay. Rejects `session/damaged`, `session/version`, `session/redacted` for an
 * export whose secrets were redacted, and `session/conflict` if the session exists.
 *
 * @example
 * ```ts
 * import { createReadStream } from "node:fs";
 * import { importSession } from "agentchart/session";
 * import { sqliteStore } from "agentchart/store/sqlite";
 *
 * const store = sqliteStore({ path: "./sessions.db" });
 * const file = createReadStream("customer-42.ndjson", "utf8");
 * const sessionId = await importSession(store, file as AsyncIterable<string>, { sessionId: "customer-42-copy" });
 * ```
 */
export async function importSession(
  store: SessionStore,
  chunks: AsyncIterable<string> | Iterable<string>,
  options: { readonly sessionId?: string | undefined } = {},
): Promise<string> {
  const { header, entries, inputs, end } = await readExport(chunks);
  const sessionId = options.sessionId ?? header.sessionId;
  const exists = () => new AgentError("session/conflict", `Session '${sessionId}' exists already.`);
  const position = quarantined(header.meta, "Its import was cut off.");
  const added: string[] = [];
  const write = async (lease: Lease): Promise<void> => {
    const { fence } = lease;
    const renew = keeping([store, lease]);
    let seq = 0;
    while (seq + ENTRIES_PER_APPEND < end.seq) {
      const batch = entries.slice(seq, seq + ENTRIES_PER_APPEND);
      seq = await store.append(sessionId, { expectedSeq: seq, fence, entries: batch, position });
      await renew();
    }
    for (const input of inputs) {
      added.push(input.id);
      if ((await store.putInput(sessionId, input)) === "duplicate") added.pop(); // that of somebody else
      await renew();
    }
    await store.append(sessionId, {
      expectedSeq: seq,
      fence,
      entries: entries.slice(seq),
      position: { ...end.position, meta: readPosition(end.position).meta ?? header.meta },
      ...(end.checkpoint && { checkpoint: end.checkpoint }),
    });
  };
  /** Removes what was written. Inputs that others have put into the inbox stay. */
  const remove = async ({ fence }: Lease): Promise<void> => {
    if (added.length > 0) {
      const { seq: expectedSeq = 0 } = (await store.load(sessionId)) ?? {};
      await store.append(sessionId, { expectedSeq, fence, entries: [], position, ackInputs: added });
    }
    await store.delete(sessionId, { keepsInputs: true });
  };
  const run = async (lease: Lease): Promise<void> => {
    if (await store.load(sessionId)) throw exists();
    try {
      await write(lease);
    } catch (error) {
      const isTaken = AgentError.is(error) && error.code === "session/lease-lost"; // another process has the session now
      if (!isTaken) await remove(lease).catch(() => {}); // the first error is the one to report
      throw error;
    }
  };
  await withLease(store, sessionId, run, exists);
  return sessionId;
}
