import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { AgentError, configError, messageOf, type ErrorCode } from "../../core/base/error.ts";
import type { SessionStore } from "../../store/port.ts";
import { importSession } from "../../store/transfer.ts";
import { chatsOf } from "../../testing/evals/chat-log.ts";
import { importChat } from "../../testing/evals/import-chat.ts";
import { planOf } from "../../testing/evals/plan-chat.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { withStore } from "../open-store.ts";
import { printResult } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import type { importSession as definition } from "./definitions.ts";

type Given = Parameters<Handler<typeof definition>>[0];

/** `agentchart sessions import`. */
export const importCommand: Handler<typeof definition> = async (given, io) => {
  const { args, flags } = given;
  if (flags.failure !== undefined && !flags.chats) throw new UsageError("--failure needs --chats.");
  return withStore(flags.store, async (store) => {
    if (flags.chats) return importChats(given, store, io);
    const { as } = flags;
    const sessionId = await importSession(store, read(args.file), {
      ...(as !== undefined && { sessionId: as }),
    }).catch((error: unknown) => {
      throw withHint(error);
    });
    printResult(io, flags, `Imported ${sessionId}`, { sessionId });
    return 0;
  });
};

/** Stores conversations, one after the other; nothing if one of them is wrong. */
async function importChats(
  { args: { file }, flags }: Given,
  store: SessionStore,
  io: CliIo,
): Promise<number> {
  const { as = "", failure } = flags;
  const chats = chatsOf(await text(read(file)), file === "-" ? "stdin" : file);
  for (const chat of chats) planOf(chat); // what no agent could have said is refused before anything is stored
  const sessionIds: string[] = [];
  for (const chat of chats) {
    io.terminal.status(`${sessionIds.length} of ${chats.length} imported`);
    const id = await importChat(store, chat, {
      sessionId: `${as}${chat.name}`,
      ...(failure !== undefined && { isFailure: (output) => output.startsWith(failure) }),
    });
    sessionIds.push(id);
  }
  io.terminal.status("");
  const [only] = sessionIds;
  printResult(io, flags, `Imported ${sessionIds.length === 1 ? only : `${sessionIds.length} sessions`}`, {
    sessionIds,
  });
  return 0;
}

async function* read(file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin.setEncoding("utf8") : createReadStream(file, "utf8");
  try {
    yield* stream as AsyncIterable<string>;
  } catch (error) {
    throw configError(`Cannot read ${file}: ${messageOf(error)}`, { cause: error });
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
