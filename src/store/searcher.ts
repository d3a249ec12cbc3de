import { guarded } from "../core/base/guarded.ts";
import { endsWithin } from "./deadlines.ts";
import type { SearchPage, SessionSearch } from "./port.ts";
import type { ChangedSession, ReadEntries, SearchIndex } from "./search-index.ts";

/** The sessions that are not in an index yet, or not any more. */
export type IndexChanges = {
  /** The approximate number of sessions that `changed` yields. */
  readonly count: number;
  readonly changed: AsyncIterable<ChangedSession> | Iterable<ChangedSession>;
  /** Sessions that are gone. */
  readonly gone?: readonly string[];
};

/** Options of a {@link Searcher}. */
export type SearcherOptions = {
  /** Opens the index. Called with true if what is stored of it cannot be used: then an empty one is opened. */
  readonly open: (isDamaged: boolean) => Promise<SearchIndex>;
  /** Returns what has changed since the sessions were indexed. */
  readonly changes: (index: SearchIndex) => Promise<IndexChanges>;
  readonly read: ReadEntries;
  /** True for an error that a new index mends. */
  readonly isDamage: (error: unknown) => boolean;
};

/** The maximum time for which the index may be worked on without a break for what else the process does, ms. */
const LONGEST_SPELL_MS = 10;

const MANY = 500;

type Progress = (indexed: number, total: number) => void;

/** Searches in sessions, and keeps their index: what has changed is indexed before each search. */
export class Searcher {
  readonly #options: SearcherOptions;
  readonly #listeners = new Set<Progress>();
  #index: Promise<SearchIndex> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #left = 0;
  #isDamaged = false;
  #isClosed = false;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  async search(query: SessionSearch = {}): Promise<SearchPage> {
    const { onProgress } = query;
    if (onProgress) this.#listeners.add(onProgress);
    try {
      return await this.#search(query);
    } catch (error) {
      if (this.#isClosed || !this.#options.isDamage(error)) throw error;
      return await this.#search(query); // on a new index
    } finally {
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  /** Removes a session from the index, if the index was opened or `isStored`. */
  async remove(sessionId: string, isStored = false): Promise<void> {
    if (this.#index || isStored) await this.#use((index) => index.remove(sessionId));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.catch(() => {});
  }

  async #search(query: SessionSearch): Promise<SearchPage> {
    const isComplete = await endsWithin(this.#caughtUp(), query.waitMs ?? Infinity);
    const page = await this.#use((index) => index.find(query));
    return { ...page, ...(!isComplete && this.#left > 0 && { unindexed: this.#left }) };
  }

  /** Resolves when everything that had happened before this call is indexed. Calls that come during one share the next one. */
  #caughtUp(): Promise<void> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const running = this.#use((index) => this.#catchUp(index)).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    running.catch(() => {}); // for those who do not wait so long
    return running;
  }

  async #catchUp(index: SearchIndex): Promise<void> {
    const { changes, read } = this.#options;
    const { count, changed, gone = [] } = await changes(index);
    for (const sessionId of gone) await index.remove(sessionId);
    let done = 0;
    let begun = performance.now();
    this.#left = count;
    for await (const session of changed) {
      if (this.#isClosed) return;
      await index.update(session, read);
      if (performance.now() - begun > LONGEST_SPELL_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        begun = performance.now();
      }
      done++;
      this.#left = Math.max(0, count - done);
      for (const listener of this.#listeners) guarded(() => listener(done, Math.max(count, done)));
    }
    if (done >= MANY) await index.manyAdded();
    this.#left = 0;
  }

  /** Works on the index. One that turns out to be damaged is replaced by the next call. */
  async #use<T>(work: (index: SearchIndex) => Promise<T>): Promise<T> {
    const { open, isDamage } = this.#options;
    const opening = (this.#index ??= open(this.#isDamaged));
    let isOpen = false;
    try {
      const index = await opening;
      isOpen = true;
      if (this.#index === opening) this.#isDamaged = false;
      return await work(index);
    } catch (error) {
      if (this.#index === opening && (!isOpen || isDamage(error))) this.#index = undefined;
      this.#isDamaged ||= isDamage(error);
      throw error;
    }
  }
}
