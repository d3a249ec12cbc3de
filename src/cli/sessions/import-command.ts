import { createReadStream } from "node:fs";
import { AgentError, messageOf } from "../../base/error.ts";
import { importSession } from "../../store/transfer.ts";
import { withStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { oneLine } from "../terminal.ts";
import { onlyWord } from "../words.ts";

/** `agentchart sessions import`: what `export` wrote, in a store. Gives the exit code. */
export async function importCommand(flags: GivenFlags, { stdout }: Surroundings): Promise<number> {
  const file = onlyWord(flags, "Which file? agentchart sessions import FILE");
  const as = flags.text("as");
  return withStore(flags.text("store"), async (store) => {
    const sessionId = await importSession(store, textOf(file), {
      ...(as !== undefined && { sessionId: as }),
    }).catch((error: unknown) => {
      throw withAdvice(error);
    });
    const report = stdout.isTTY
      ? oneLine(`Imported ${sessionId}`, Number.POSITIVE_INFINITY)
      : JSON.stringify({ sessionId });
    stdout.write(`${report}\n`);
    return 0;
  });
}

async function* textOf(file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin.setEncoding("utf8") : createReadStream(file, "utf8");
  try {
    yield* stream as AsyncIterable<string>;
  } catch (error) {
    throw new AgentError("config/invalid", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function withAdvice(error: unknown): unknown {
  if (!AgentError.is(error) || error.code !== "session/conflict") return error;
  const { code, message, data } = error;
  return new AgentError(code, `${message} Choose another id with --as.`, { cause: error, data });
}
