import type { ToolInput } from "../../../machines/agent/services.ts";
import type { CallResumption } from "../../../machines/agent/call-record.ts";
import { RESPONSES } from "../../../src/testing/explorer/asks.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check } from "./memory.ts";

/** A call goes on only with an answer to each question of its round, given in that round. */
export const goesOnAnswered: Check = ({ after, memory }) => {
  for (const { id, input } of startedOf(after, "runTool")) {
    const { call, resumed } = input as ToolInput;
    if (!resumed) continue;
    const { round } = resumed;
    const open = Object.keys(resumed.answers).find(
      (ask) => !memory.answered.has(`${call.id}/${ask} of round ${round}`),
    );
    if (open !== undefined) return `${id} goes on in round ${round} without an answer to ${open}`;
    const wrong = Object.entries(resumed.answers).find(([, answer]) => answer === RESPONSES[1]![1]);
    if (wrong) return `${id} goes on with an answer to ${wrong[0]} that its schema does not accept`;
  }
  return undefined;
};

type AskRecord = CallResumption["asks"][number];

const sameAsk = (old: AskRecord, now: AskRecord | undefined): boolean =>
  now?.ask.id === old.ask.id && (old.decided === undefined || now.decided !== undefined);

/** What a call remembers stays until it has its result or is suspended again, and so do the answers that it got. */
export const resumptionIsKept: Check = ({ before, move, after }) => {
  if (move.kind === "load") return undefined;
  const now = new Map(after.snapshot.context.calls.map((record) => [record.call.id, record]));
  for (const { call, resume: old } of before.snapshot.context.calls) {
    const record = now.get(call.id);
    if (!old || !record || record.stored || record.result) continue;
    const { resume } = record;
    const isSuspended = record.status === "suspended" && move.kind === "service";
    if (isSuspended && (resume?.round ?? old.round + 1) === old.round + 1) continue; // anew, to go on or for its result
    if (!resume) return `call ${call.id} has forgotten that it goes on`;
    const isSame =
      resume.round === old.round &&
      resume.state === old.state &&
      old.asks.every((ask, index) => sameAsk(ask, resume.asks[index]));
    if (!isSame) return `call ${call.id} has lost something of round ${old.round}`;
  }
  return undefined;
};
