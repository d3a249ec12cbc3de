import { isObject } from "../base/is-object.ts";
import { createHash, randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { JournalEntry, LoadedSession, SessionInput, SessionStore } from "./port.ts";
import { readPosition } from "./position.ts";

/** What the first line of an exported session says it is. */
export const EXPORT_FORMAT = "agentchart.session";
/** The version of the export format; older ones must stay readable. The checksum of version 1 leaves out the last line. */
export const EXPORT_VERSION = 2;

const ENTRIES_PER_APPEND = 256;
const LEASE_MS = 60_000;
const MAX_INPUTS = 1_000_000;

type Header = {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: number;
  readonly sessionId: string;
  readonly seq: number;
  readonly meta: JsonObject;
};
type End = LoadedSession & { readonly sha256: string };

async function metaOf(store: SessionStore, sessionId: string): Promise<JsonObject> {
  const { sessions } = await store.list({ prefix: sessionId, limit: 1 });
  return sessions[0]?.sessionId === sessionId ? sessions[0].meta : {};
}

/**
 * A session as the lines of one NDJSON file: a header, each entry, each input that waits, and an end that holds position,
 * checkpoint and a checksum of everything. Every line ends with a newline. Takes no lease: what is appended meanwhile is left
 * out. Of a damaged session it is what can be read, as a session that is quarantined for that reason. Throws
 * `session/not-found`.
 */
export async function* exportSession(store: SessionStore, sessionId: string): AsyncGenerator<string> {
  let damage: string | undefined;
  const orDamage = (error: unknown): undefined => {
    if (!isDamage(error)) throw error;
    damage ??= error.message;
  };
  const loaded = await store.load(sessionId).catch(orDamage);
  if (!loaded && damage === undefined)
    throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
  const hash = createHash("sha256");
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
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
    orDamage(error);
  }
  for (const input of (await store.takeInputs(sessionId, MAX_INPUTS).catch(orDamage)) ?? [])
    yield line({ input });
  const stands: LoadedSession = damage === undefined ? loaded! : { seq, position: quarantined(meta, damage) };
  hash.update(JSON.stringify(stands));
  const end: End = { ...stands, sha256: hash.digest("hex") };
  yield `${JSON.stringify({ end })}\n`;
}

function isDamage(error: unknown): error is AgentError {
  return AgentError.is(error) && error.code === "session/damaged";
}

/** A position from which nobody goes on. */
function quarantined(meta: JsonObject, reason: string): JsonObject {
  return { phase: "quarantined", meta, quarantine: { reason, at: Date.now() } };
}

const damaged = (why: string) => new AgentError("session/damaged", `The exported session ${why}.`);

function parseLine(line: string, number: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damaged(`has a line ${number} that is no JSON`);
  }
  if (isObject(value)) return value as JsonObject;
  throw damaged(number === 1 ? "does not begin as one" : `has a line ${number} that is no object`);
}

function checkHeader(value: JsonObject): Header {
  if (value["format"] !== EXPORT_FORMAT) throw damaged("does not begin as one");
  if (value["version"] === 1 || value["version"] === EXPORT_VERSION) return value as Header;
  const found = JSON.stringify(value["version"]);
  const message = `The exported session has version ${found}; this release reads 1 to ${EXPORT_VERSION}.`;
  throw new AgentError("session/version", message);
}

/** The lines of a text that comes in pieces of any size. */
async function* linesOf(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
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

async function readExport(pieces: AsyncIterable<string> | Iterable<string>): Promise<Exported> {
  const hash = createHash("sha256");
  const entries: JournalEntry[] = [];
  const inputs: SessionInput[] = [];
  let header: Header | undefined;
  let end: End | undefined;
  let number = 0;
  for await (const line of linesOf(pieces)) {
    const value = parseLine(line, ++number);
    if (end) throw damaged("goes on behind its end");
    if (value["end"]) end = value["end"] as unknown as End;
    else hash.update(`${line}\n`);
    if (!header) header = checkHeader(value);
    else if (value["entry"]) entries.push(value["entry"] as unknown as JournalEntry);
    else if (value["input"]) inputs.push(value["input"] as unknown as SessionInput);
  }
  if (!header || !end) throw damaged("is cut off");
  const { sha256, ...stands } = end;
  if (header.version > 1) hash.update(JSON.stringify(stands));
  if (sha256 !== hash.digest("hex")) throw damaged("was changed: its checksum is wrong");
  if (entries.length !== end.seq || entries.some(({ seq }, index) => seq !== index + 1))
    throw damaged("lacks entries");
  if (!isObject(end.position)) throw damaged("does not say where it stands");
  return { header, entries, inputs, end };
}

/**
 * Writes an exported session into a store, under its own id or another, and returns the id. The text may come in pieces of any
 * size. It is read to its end and checked before anything is written: `session/damaged`, `session/version`. Throws
 * `session/conflict` if the session exists. While it is written it is listed as `quarantined`; a failure removes it.
 */
export async function importSession(
  store: SessionStore,
  pieces: AsyncIterable<string> | Iterable<string>,
  options: { readonly sessionId?: string } = {},
): Promise<string> {
  const { header, entries, inputs, end } = await readExport(pieces);
  const sessionId = options.sessionId ?? header.sessionId;
  const lease = await store.acquire(sessionId, { owner: `import ${randomUUID()}`, ttlMs: LEASE_MS });
  const exists = new AgentError("session/conflict", `Session '${sessionId}' exists already.`);
  if (!lease) throw exists;
  try {
    if (await store.load(sessionId)) throw exists;
    const { fence } = lease;
    const position = quarantined(header.meta, "Its import was cut off.");
    let seq = 0;
    const write = async () => {
      while (seq + ENTRIES_PER_APPEND < end.seq) {
        const batch = entries.slice(seq, seq + ENTRIES_PER_APPEND);
        seq = await store.append(sessionId, { expectedSeq: seq, fence, entries: batch, position });
      }
      for (const input of inputs) await store.putInput(sessionId, input);
      const meta = readPosition(end.position).meta ?? header.meta;
      const last = {
        position: { ...end.position, meta },
        ...(end.checkpoint && { checkpoint: end.checkpoint }),
      };
      await store.append(sessionId, { expectedSeq: seq, fence, entries: entries.slice(seq), ...last });
    };
    try {
      await write();
    } catch (error) {
      await store.delete(sessionId).catch(() => {}); // the error that counts is the first
      throw error;
    }
  } finally {
    await store.release(lease);
  }
  return sessionId;
}
