import { textOf, toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import type { HooksInput } from "../../../machines/agent/services.ts";
import { written } from "./slots.ts";
import type { Desk } from "./desk.ts";
import { message, results, text, toolResult, toolUse, user } from "./messages.ts";
import type { Ending, Scene } from "./move.ts";
import type { World } from "./world.ts";

function ofAnswer(answer: Msg, step: number, desk: Desk | undefined): readonly Ending[] {
  const ids = toolUsesOf(answer).map(({ id }) => id);
  const says = user(`g${step}`);
  const given = results(`r${step}`, ids);
  const gotos: readonly Ending[] =
    ids.length === 0
      ? [
          { label: "goto", output: { message: answer, goto: [] } },
          { label: "goto with a message", output: { message: answer, goto: [says] } },
        ]
      : [
          { label: "goto with results", output: { message: answer, goto: [given] } },
          { label: "goto with a message and results", output: { message: answer, goto: [says, given] } },
        ];
  return [
    { label: "unchanged", output: { message: answer, stop: false } },
    { label: "stop", output: { message: answer, stop: true }, meaning: { stops: true } },
    ...gotos,
    ids.length > 0 || desk
      ? { label: "drops the calls", output: { message: { ...answer, content: [text("no calls")] } } }
      : {
          label: "adds a call",
          output: { message: { ...answer, content: [...answer.content, toolUse(`c${step}.1`)] } },
        },
    ...(ids.length < (desk?.batch ?? 0) ? desk!.tools : []).map(({ name }) => {
      const call = { ...toolUse(`c${step}.3`), name };
      return {
        label: `adds ${name}`,
        output: { message: { ...answer, content: [...answer.content, call] } },
      };
    }),
  ];
}

function changes(input: HooksInput, step: number, desk: Desk | undefined): readonly Ending[] {
  switch (input.point) {
    case "preCall": {
      const other = [user(`p${step}`)];
      return [
        { label: "unchanged", output: { input: input.input, system: input.system } },
        { label: "other input", output: { input: other }, meaning: { rewritten: other } },
        ...(desk && input.input.length === 0
          ? [] // it is unchanged
          : [{ label: "no input", output: { input: [] }, meaning: { rewritten: [] } }]),
      ];
    }
    case "preReasoning":
    case "preSummary":
      return [{ label: "unchanged", output: { edits: [] } }];
    case "postReasoning":
      return ofAnswer(input.draft.message, step, desk);
    case "preActing": {
      const ids = input.calls.map(({ id }) => id);
      const denies = (callIds: readonly string[]) => ({
        calls: callIds.map((callId) => ({ callId, deny: "no" })),
      });
      return [
        {
          label: "unchanged",
          output: { calls: input.calls.map(({ id, input: args }) => ({ callId: id, input: args })) },
        },
        {
          label: "other arguments",
          output: { calls: ids.map((callId) => ({ callId, input: { other: true } })) },
        },
        { label: "denies the first", output: denies(ids.slice(0, 1)), meaning: { denies: ids.slice(0, 1) } },
        { label: "denies all", output: denies(ids), meaning: { denies: ids } },
      ];
    }
    case "postActing": {
      const { call, result } = input;
      return [
        { label: "unchanged", output: { result, stop: false } },
        { label: "stop", output: { result, stop: true }, meaning: { stops: true } },
        {
          label: "other result",
          output: { result: { ...toolResult(call.id, "other"), name: call.name } },
          meaning: { replaces: call.id },
        },
      ];
    }
    case "postSummary": {
      const { message: summary } = input.draft;
      return [
        { label: "unchanged", output: { message: summary } },
        {
          label: "adds a call",
          output: { message: message(summary.id, "assistant", [text("sum"), toolUse(`c${step}.1`)]) },
        },
      ];
    }
    case "preCompact": {
      const { to } = input.compacting;
      const isPair = toolResultsOf(input.transcript.at(to - 1)!).length > 0;
      const keepsMore = to - 1 > (input.view?.from ?? 0) && !isPair;
      return [
        { label: "unchanged", output: { compaction: {} } },
        { label: "a summary", output: { compaction: { summary: "by a hook" } } },
        { label: "an empty summary", output: { compaction: { summary: "" } } },
        { label: "no summary", output: { compaction: { isUnwanted: true } } },
        ...(keepsMore ? [{ label: "keeps more", output: { compaction: { to: to - 1 } } }] : []),
      ];
    }
    case "postCompact":
      return [
        { label: "unchanged", output: { summary: textOf(input.draft.message) } },
        { label: "another summary", output: { summary: "by a hook" } },
        { label: "an empty summary", output: { summary: "" } },
      ];
    case "postCall":
      return [{ label: "unchanged", output: { reply: input.reply } }];
    case "onInterrupt":
    case "onError":
      return [{ label: "done", output: {} }];
  }
}

/** All a chain of hooks may come to at its point. */
export function hookOutcomes(input: HooksInput, { step }: Scene, { tool, desk }: World): readonly Ending[] {
  const error = { code: "hook/failed", message: `a hook failed in ${input.point}` };
  const endings = changes(input, step, desk);
  const writes = tool.writes && written(input.slots, `by a hook in step ${step}`);
  const writing: Ending = {
    label: "unchanged, and writes a slot",
    output: { ...endings[0]!.output, slots: writes },
    meaning: { ...(writes && { writes }) },
  };
  return [...endings, ...(writes ? [writing] : []), { label: "fail", error }];
}
