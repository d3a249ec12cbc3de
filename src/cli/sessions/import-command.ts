import { createReadStream } from "node:fs";
import { AgentError, messageOf, type ErrorCode } from "../../core/base/error.ts";
import { importSession } from "../../store/transfer.ts";
import type { Handler } from "../define-command.ts";
import { withStore } from "../open-store.ts";
import { printResult } from "../output.ts";
import type { importSession as definition } from "./definitions.ts";

/** `agentchart sessions import`. */
export const importCommand: Handler<typeof definition> = async ({ args: { file }, flags }, io) =>
  withStore(flags.store, async (store) => {
    const { as } = flags;
    const sessionId = await importSession(store, read(file), {
      ...(as !== undefined && { sessionId: as }),
    }).catch((error: unknown) => {
      throw withHint(error);
    });
    printResult(io, flags, `Imported ${sessionId}`, { sessionId });
    return 0;
  });

async function* read(file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin.setEncoding("utf8") : createReadStream(file, "utf8");
  try {
    yield* stream as AsyncIterable<string>;
  } catch (error) {
    throw new AgentError("config/invalid", `Cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** The hints for a user of the command line about an export that is refused. */
const HINTS: { readonly [code in ErrorCode]?: string } = {
  "session/conflict": "Choose another id with --as.",
  "session/redacted": 'Write it with "agentchart sessions export --secrets".',
};

function withHint(error: unknown): unknown {
  const hint = AgentError.is(error) ? HINTS[error.code] : undefined;
  if (!AgentError.is(error) || hint === undefined) return error;
  const { code, message, data } = error;
  return new AgentError(code, `${message} ${hint}`, { cause: error, data });
}
