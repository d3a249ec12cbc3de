import type { JournalEntry } from "./port.ts";

/** The entries of a journal in runs, as a store reads them. Who stands between a store and its reader handles a run at once: of a long
 *  session the promises of each entry take longer than to read it. */
export class EntryRuns implements AsyncIterable<JournalEntry> {
  readonly runs: AsyncIterable<readonly JournalEntry[]>;

  constructor(runs: AsyncIterable<readonly JournalEntry[]>) {
    this.runs = runs;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalEntry> {
    for await (const run of this.runs) yield* run;
  }
}

/** Returns what {@link SessionStore.read} yields in runs. Of a store that has none each entry is one. */
export function runsOf(entries: AsyncIterable<JournalEntry>): AsyncIterable<readonly JournalEntry[]> {
  return entries instanceof EntryRuns ? entries.runs : alone(entries);
}

async function* alone(entries: AsyncIterable<JournalEntry>): AsyncGenerator<readonly JournalEntry[]> {
  for await (const entry of entries) yield [entry];
}
