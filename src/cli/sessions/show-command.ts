import type { Json } from "../../core/base/json.ts";
import { redactSecrets } from "../../core/base/secrets.ts";
import { accountLines, takeOverLine } from "../../core/message/account.ts";
import { sourceTitle, sourcesOf } from "../../core/message/msg.ts";
import type { Block, CallAccount, Msg, TakeOver } from "../../core/message/types.ts";
import { readEntry } from "../../session/read-entry.ts";
import { openSession, type Moment, type StoredSession } from "../../session/open-session.ts";
import type { Handler } from "../define-command.ts";
import { pendingLine } from "../print-turn.ts";
import { withSession } from "../session-commands.ts";
import { formatTime, printsJson, table } from "../output.ts";
import { oneLine } from "../terminal.ts";
import type { show as definition } from "./definitions.ts";

/** `agentchart sessions show`. */
export const showCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) =>
  withSession({ sessionId: id, flags }, async (store) => {
    const session = await openSession(store, id);
    const moment = await session.at(flags.at);
    const places = await placesOf(session, moment);
    const text = printsJson(io, flags)
      ? JSON.stringify(redactSecrets({ sessionId: id, ...moment, ...places } as unknown as Json))
      : format(id, moment, places);
    io.stdout.write(`${text.trimEnd()}\n`);
    return 0;
  });

/** The parts of a page that the journal adds to the moment. */
type Places = {
  /** Returns the journal position for each message, right after it, at which the session can be forked. It is the end of the append that
   *  brought the message, where the journal has an entry of the position. */
  readonly positions: readonly number[];
  readonly takeOvers: readonly (TakeOver & { readonly seq: number; readonly at: number })[];
};

async function placesOf(session: StoredSession, { seq, messages }: Moment): Promise<Places> {
  const positions: number[] = [];
  const takeOvers: Places["takeOvers"][number][] = [];
  let unplaced = 0;
  for await (const stored of session.entries({ limit: seq })) {
    const entry = readEntry(stored);
    if (entry.type === "session.taken") takeOvers.push({ seq: entry.seq, at: entry.at, ...entry.data });
    if (entry.type === "messages") {
      const { from, messages: added } = entry.data;
      positions.length = Math.min(positions.length, from);
      unplaced = from + added.length - positions.length;
    }
    if (entry.type === "position") {
      positions.push(...Array.from({ length: unplaced }, () => entry.seq));
      unplaced = 0;
    }
  }
  return { positions: Array.from(messages, (_, index) => positions[index] ?? seq), takeOvers };
}

function format(sessionId: string, moment: Moment, { positions, takeOvers }: Places): string {
  const { seq, state, at, reason, messages, pending } = moment;
  const head = [
    `Session ${sessionId}`,
    state,
    ...(reason ? [reason] : []),
    `position ${seq}`,
    formatTime(at),
  ].join(" · ");
  const rows = messages.map((message, index) => [String(positions[index]), message.role, textOf(message)]);
  const calls = pending.map((call) =>
    state.startsWith("suspended") ? pendingLine(call) : `Open: ${call.name}, call ${call.callId}.`,
  );
  const taken = takeOvers.map(
    (each) => `Position ${each.seq}, ${formatTime(each.at)}: ${takeOverLine(each)}.`,
  );
  return [
    `${oneLine(head)}\n`,
    ...taken.map((line) => `${oneLine(line)}\n`),
    table(["AT", "ROLE", "MESSAGE"], rows),
    ...calls.map((line) => `${oneLine(line)}\n`),
  ].join("");
}

function textOf(message: Msg): string {
  const { content, addedBy, changedBy, metadata } = message;
  const { persona } = metadata;
  const sources = sourcesOf([message]).map(sourceTitle);
  const notes = [
    ...(typeof persona === "string" ? [`as ${persona}`] : []),
    ...(addedBy === undefined ? [] : [`added by the hook ${addedBy}`]),
    ...(changedBy ? [`changed by ${changedBy.map((hook) => `the hook ${hook}`).join(", ")}`] : []),
    ...(sources.length > 0 ? [`sources: ${sources.join("; ")}`] : []),
  ];
  return [...content.map(blockText), ...notes.map((text) => `(${text})`)].join(" ");
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return "[thinking]";
    case "tool_use":
      return `→ ${block.name} ${JSON.stringify(redactSecrets(block.input))}`;
    case "tool_result":
      return [
        `← ${block.name} ${block.state}: ${block.output.map(blockText).join(" ")}`,
        ...accountLines(redactSecrets(block.account as unknown as Json) as unknown as CallAccount),
      ].join("; ");
    case "provider":
      return `[${block.kind}]`;
    default:
      return `[${block.type}]`;
  }
}
