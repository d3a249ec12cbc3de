import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AgentError, messageOf } from "../../base/error.ts";
import { exportSession } from "../../store/transfer.ts";
import type { LoadedSession } from "../../store/port.ts";
import { quarantineReason } from "../../session/format.ts";
import { sentence } from "../failure-text.ts";
import { withFoundStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import { aboutSession } from "../stored-session.ts";
import type { Surroundings } from "../surroundings.ts";
import { onlyWord } from "../words.ts";

/** `agentchart sessions export`: a session as NDJSON. Gives the exit code. */
export async function exportCommand(flags: GivenFlags, { stdout, terminal }: Surroundings): Promise<number> {
  const sessionId = onlyWord(flags, "Which session? agentchart sessions export <id>");
  const out = flags.text("out");
  return withFoundStore(flags.text("store"), (store) =>
    aboutSession({ sessionId, flags }, async () => {
      let last = "";
      const lines = noting(exportSession(store, sessionId), (line) => (last = line));
      if (out === undefined) for await (const line of lines) stdout.write(line);
      else {
        await writeWhole(out, lines);
        terminal.note(`Exported to ${out}.`);
      }
      const reason = quarantineReason((JSON.parse(last) as { end: LoadedSession }).end.position);
      if (reason !== undefined)
        terminal.warn(`It is quarantined, and stays so where it is imported: ${sentence(reason)}`);
      return 0;
    }),
  );
}

async function* noting<T>(items: AsyncIterable<T>, note: (item: T) => void): AsyncGenerator<T> {
  for await (const item of items) {
    note(item);
    yield item;
  }
}

/** Writes a file that is there as a whole or not at all, for its owner only. Pipes and devices are written to directly. */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file));
  const there = await stat(target).catch(() => undefined);
  const isDirect = there !== undefined && !there.isFile();
  const path = isDirect ? target : `${target}.${process.pid}.part`;
  try {
    await pipeline(
      Readable.from(lines),
      createWriteStream(path, { mode: 0o600, flags: isDirect ? "w" : "wx" }),
    );
    if (!isDirect) await rename(path, target);
  } catch (error) {
    if (!isDirect) await rm(path, { force: true });
    if (AgentError.is(error)) throw error;
    throw new AgentError("store/failed", `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
