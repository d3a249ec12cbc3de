import { parsedJson } from "../core/base/json.ts";
import { AgentError, configError } from "../core/base/error.ts";
import type { FoundSession, JournalEntry, SearchPage, SessionInfo, SessionSearch } from "./port.ts";
import { labelsOf, fromKey, toKey } from "./shared.ts";
import { SearchFold, type Summary } from "./search-fold.ts";
import { searchCondition, searchStatements, toolLabel, type SearchDialect } from "./search-sql.ts";
import { limitOf, pageOf } from "./sql/page-of.ts";
import type { Statement, Transaction } from "./sql/transaction.ts";
import type { SqlQueries } from "./sql-statements.ts";

/** Words are added in portions of so many: a row of Postgres holds no more than a megabyte of them. */
const WORDS_PER_ROW = 2_000;

/** A session that has changed since it was indexed. */
export type ChangedSession = {
  /** The present information about it that lists show. */
  readonly info: SessionInfo;
  /** Differs whenever the session has changed. */
  readonly stamp: string;
  /** True if nothing that was indexed of it counts any more. */
  readonly isNew?: boolean;
};

/** Reads the entries of a session after an entry. */
export type ReadEntries = (
  sessionId: string,
  range: { readonly after: number; readonly limit: number },
) => AsyncIterable<JournalEntry>;

/** `about`: the texts of its list entry that were indexed. */
type Known = { readonly seq: number; readonly summary: Summary; readonly about: readonly string[] };
type Kept = { readonly session: FoundSession; readonly messages: number };

/** The words and the summaries of sessions, in tables of one database. */
export class SearchIndex {
  readonly #db: SqlQueries;
  readonly #dialect: SearchDialect;
  readonly #sql: ReturnType<typeof searchStatements>;
  /** A statement that returns a row if the session may be indexed as it was read; it locks the session until the transaction ends. */
  readonly #claim: ((session: ChangedSession) => Statement) | undefined;

  constructor(db: SqlQueries, dialect: SearchDialect, claim?: (session: ChangedSession) => Statement) {
    this.#db = db;
    this.#dialect = dialect;
    this.#sql = searchStatements(dialect);
    this.#claim = claim;
  }

  /** The stamps of all indexed sessions, by id. */
  async stamps(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.query("search", [this.#sql.stamps, []]);
    return new Map(rows.map((row) => [fromKey(String(row["session_id"])), String(row["stamp"])]));
  }

  /** Adds what has happened in a session since it was indexed. A damaged session is indexed up to the damage. */
  async update(session: ChangedSession, read: ReadEntries): Promise<void> {
    const { info, isNew = false } = session;
    const known = isNew ? undefined : await this.#known(info.sessionId);
    if (known && known.seq <= info.seq) {
      const fold = await folded(info, known, read);
      if (!fold.isIncomplete) return this.#put(session, known.seq, fold, false);
    }
    const whole = { seq: 0, summary: { messages: 0, usage: {}, tools: [] }, about: [] };
    await this.#put(session, 0, await folded(info, whole, read), known !== undefined || isNew);
  }

  async remove(sessionId: string): Promise<void> {
    await this.#db.transaction("delete", () => this.removal(sessionId));
  }

  /** The statements that remove a session from the index. */
  *removal(sessionId: string): Transaction<void> {
    for (const statement of this.#sql.remove) yield [statement, [toKey(sessionId)]];
  }

  /** To be called after many sessions were added. */
  async manyAdded(): Promise<void> {
    for (const statement of this.#dialect.afterMany) await this.#db.query("search", [statement, []]);
  }

  /** Searches in what is indexed. Rejects `config/invalid` for a cursor that no search has returned. */
  async find(query: SessionSearch): Promise<SearchPage> {
    const { cursor } = query;
    const limit = limitOf(query);
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const { condition, place, values } = searchCondition(this.#dialect, query, after);
    const sql = this.#sql.find(condition, place, values.length + 1);
    const rows = await this.#db.query("search", [sql, [...values, limit + 1]]);
    const found = rows.filter((row) => row["found"] !== null);
    const { items, ...next } = pageOf(found, limit, (last) =>
      JSON.stringify([Number(last["updated_at"]), last["session_id"]]),
    );
    return {
      sessions: items.map((row) => (JSON.parse(String(row["found"])) as Kept).session),
      total: Number(rows[0]!["total"]),
      ...next,
    };
  }

  async #known(sessionId: string): Promise<Known | undefined> {
    const [row] = await this.#db.query("search", [this.#sql.known, [toKey(sessionId)]]);
    if (!row) return undefined;
    const { session, messages } = JSON.parse(String(row["found"])) as Kept;
    const { startedAt, usage, tools } = session;
    return {
      seq: Number(row["seq"]),
      summary: { ...(startedAt !== undefined && { startedAt }), usage, tools, messages },
      about: aboutOf(session),
    };
  }

  async #put(session: ChangedSession, from: number, fold: SearchFold, isWhole: boolean): Promise<void> {
    const { info, stamp } = session;
    const key = toKey(info.sessionId);
    const { messages, ...summary } = fold.summary;
    const found: Kept = { session: { ...info, ...summary }, messages };
    const { seq, updatedAt, phase, waitsFor, reason = null, meta } = info;
    const agent = agentOf(info);
    const agentKey = agent === undefined ? null : toKey(agent);
    const row = [key, stamp, seq, updatedAt, phase, waitsFor.length > 0 ? 1 : 0, reason, agentKey];
    const cost = summary.usage.cost ?? null;
    const words = [...fold.words];
    const labels = [...summary.tools.map(toolLabel), ...labelsOf(meta)];
    const { removal } = this;
    const run = function* (this: SearchIndex): Transaction<void> {
      if (this.#claim && (yield this.#claim(session)).length === 0) return;
      if (isWhole) yield* removal.call(this, info.sessionId);
      const [put] = yield [this.#sql.put, [...row, cost, JSON.stringify(found), from]];
      if (!put) return; // another process has indexed it
      if (!isWhole) yield [this.#sql.removeLabels, [key]];
      for (const label of labels) yield [this.#sql.addLabel, [label, put["n"]]];
      for (let at = 0; at < words.length; at += WORDS_PER_ROW)
        yield* this.#dialect.addWords(put["n"], words.slice(at, at + WORDS_PER_ROW));
    };
    await this.#db.transaction("search", () => run.call(this));
  }
}

/** The agent's name; sessions of 0.1.0 have it in their labels, if at all. */
function agentOf({ agent, meta }: SessionInfo): string | undefined {
  return agent ?? (typeof meta["agent"] === "string" ? meta["agent"] : undefined);
}

/** Returns the words that a list says of a session. */
function aboutOf(info: SessionInfo): readonly string[] {
  const texts = [info.sessionId, agentOf(info), info.title, info.meta["title"]];
  return texts.filter((text) => typeof text === "string");
}

/** Reads what has happened in a session, up to damage, or until it is deleted. */
async function folded(
  info: SessionInfo,
  { seq, summary, about }: Known,
  read: ReadEntries,
): Promise<SearchFold> {
  const fold = new SearchFold(summary);
  for (const text of aboutOf(info)) if (!about.includes(text)) fold.addText(text);
  try {
    if (info.seq > seq)
      for await (const entry of read(info.sessionId, { after: seq, limit: info.seq - seq })) fold.push(entry);
  } catch (error) {
    if (!AgentError.is(error) || !["session/damaged", "session/not-found"].includes(error.code)) throw error;
  }
  return fold;
}

function placeOf(cursor: string): readonly [number, string] {
  const place: unknown = parsedJson(cursor);
  if (Array.isArray(place) && typeof place[0] === "number" && typeof place[1] === "string")
    return place as unknown as readonly [number, string];
  throw configError("search: `cursor` is not one that a search has returned.");
}
