import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** What happened outside of the agents, in the order it happened: lines of one file that every process appends to. */
export type LedgerLine = {
  readonly what:
    | /** A tool began. */ "start"
    /** It has had its effect. */
    | "effect"
    /** Its result is in the journal. */
    | "recorded"
    /** A worker has written to a journal. */
    | "append";
  readonly sessionId: string;
  readonly fence: number;
  readonly pid: number;
  readonly callId?: string;
  readonly seq?: number;
};

export function writeLine(path: string, line: LedgerLine): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

export function readLedger(path: string): readonly LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

/** Returns whether a tool has had its effect, as the system on which it acts would report. */
export function hadEffect(path: string, sessionId: string, callId: string): boolean {
  return readLedger(path).some(
    (line) => line.what === "effect" && line.sessionId === sessionId && line.callId === callId,
  );
}
