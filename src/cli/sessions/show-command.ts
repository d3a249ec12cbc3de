import type { Block, Msg } from "../../message/types.ts";
import { openSession, type Moment, type StoredSession } from "../../session/open-session.ts";
import { withFoundStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import { pendingLine } from "../show-turn.ts";
import { aboutSession } from "../stored-session.ts";
import type { Surroundings } from "../surroundings.ts";
import { table, timeText } from "../table.ts";
import { oneLine } from "../terminal.ts";
import { countOf, onlyWord } from "../words.ts";

/** `agentchart sessions show`: a session as it stands or stood. Gives the exit code. */
export async function showCommand(flags: GivenFlags, { stdout }: Surroundings): Promise<number> {
  const sessionId = onlyWord(flags, "Which session? agentchart sessions show <id>");
  const seq = countOf(flags, "at");
  return withFoundStore(flags.text("store"), (store) =>
    aboutSession({ sessionId, flags }, async () => {
      const session = await openSession(store, sessionId);
      const moment = await session.at(seq);
      const positions = await positionsOf(session, moment);
      const text = stdout.isTTY
        ? shown(sessionId, moment, positions)
        : JSON.stringify({ sessionId, ...moment, positions });
      stdout.write(`${text.trimEnd()}\n`);
      return 0;
    }),
  );
}

/** For each message the position at which the session can be forked right behind it: the end of the append that brought it,
 *  where the journal says where the session stood. */
async function positionsOf(session: StoredSession, { seq, messages }: Moment): Promise<readonly number[]> {
  const positions: number[] = [];
  let unplaced = 0;
  for await (const { type, data, seq: at } of session.entries({ limit: seq })) {
    if (type === "messages") {
      const { from, messages: added } = data as unknown as {
        readonly from: number;
        readonly messages: readonly Msg[];
      };
      positions.length = Math.min(positions.length, from);
      unplaced = from + added.length - positions.length;
    }
    if (type === "position") positions.push(...Array.from({ length: unplaced }, () => at));
    if (type === "position") unplaced = 0;
  }
  return Array.from(messages, (_, index) => positions[index] ?? seq);
}

function shown(sessionId: string, moment: Moment, positions: readonly number[]): string {
  const { seq, state, at, reason, messages, pending } = moment;
  const head = [
    `Session ${sessionId}`,
    state,
    ...(reason ? [reason] : []),
    `position ${seq}`,
    timeText(at),
  ].join(" · ");
  const rows = messages.map((message, index) => [String(positions[index]), message.role, gistOf(message)]);
  const waits = pending.map((call) =>
    state.startsWith("suspended") ? pendingLine(call) : `Is open: ${call.name}, call ${call.callId}.`,
  );
  return [
    `${oneLine(head)}\n`,
    ...(rows.length > 0 ? [table(["AT", "ROLE", "MESSAGE"], rows)] : []),
    ...waits.map((line) => `${oneLine(line)}\n`),
  ].join("");
}

function gistOf({ content }: Msg): string {
  return content.map(blockGist).join(" ");
}

function blockGist(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return "[thinking]";
    case "tool_use":
      return `→ ${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return `← ${block.name} ${block.state}: ${block.output.map(blockGist).join(" ")}`;
    default:
      return `[${block.type}]`;
  }
}
