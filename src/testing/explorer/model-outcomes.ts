import type { Block, FinishReason, ToolUseBlock } from "../../core/message/types.ts";
import type { ModelInput, ModelOutcome } from "../../../machines/agent/services.ts";
import { showsMedia } from "../../../machines/agent/updates/view.ts";
import { OUTPUT_TOOL } from "../../core/tool/reserved-names.ts";
import { batchesOf, callsOf, namesOf } from "./desk.ts";
import { message, text, thinking, toolUse } from "./messages.ts";
import type { World } from "./world.ts";
import type { Ending, Scene } from "./move.ts";

/** All kinds of answers a model may give. */
export function modelOutcomes(
  { phase, wanted, takesNews }: ModelInput,
  { leaf, step, context }: Scene,
  { desk }: Pick<World, "desk"> = {},
): readonly Ending[] {
  const says = (
    label: string,
    finishReason: FinishReason,
    content: readonly Block[],
    more: Partial<ModelOutcome> = {},
  ): Ending => ({
    label,
    output: {
      finishReason,
      delivered: content.length > 0,
      ...(content.length > 0 && { message: message(`a${step}`, "assistant", content) }),
      ...more,
    },
    ...(phase !== "compaction" && content.length > 0 && !more.error && { meaning: { said: "an answer" } }),
  });
  const calls = (count: number): Block[] =>
    Array.from({ length: count }, (_, index) => toolUse(`c${step}.${index + 1}`));
  const fails = (label: string, retry: boolean, content: readonly Block[] = []): Ending =>
    says(label, "unknown", content, {
      error: {
        code: "model/unavailable",
        message: label,
        isRetryable: retry,
        ...(content.length === 0 && { retry }),
      },
    });
  const answer = says("text", "stop", [text("answer")]);
  const failures = [
    fails("failure that may be retried", true),
    fails("final failure", false),
    fails("failure after a part was delivered", true, [text("part")]),
  ];
  const { steering, queued } = context.inbox;
  const isOvertaken = takesNews && steering.length + queued.length > 0;
  const unsent = isOvertaken
    ? [says("messages came before it was sent", "unknown", [], { hasNews: true })]
    : [];
  if (leaf.endsWith("aborting")) {
    return [
      ...unsent,
      says("nothing", "unknown", []),
      says("a part of a text", "unknown", [text("part")]),
      says("a part with a call", "unknown", [text("part"), ...calls(1)]),
      fails("failure that may be retried", true),
    ];
  }
  const compacts = context.settings.compaction !== null;
  const refused = says("the prompt is too long", "unknown", [], {
    error: { code: "model/context-length", message: "too long", isRetryable: false, retry: false },
  });
  const tooLong: Ending = phase === "compaction" ? refused : { ...refused, meaning: { said: "too long" } };
  const filtered = showsMedia(context)
    ? [
        says("what is said is refused", "unknown", [], {
          error: { code: "model/content-filter", message: "refused", isRetryable: false, retry: false },
        }),
      ]
    : [];
  if (phase === "compaction") {
    return [
      answer,
      says("a call", "tool_calls", calls(1)),
      says("nothing", "stop", []),
      tooLong,
      ...failures,
    ];
  }
  if (phase === "summary") {
    return [
      answer,
      says("text and a call", "tool_calls", [text("answer"), ...calls(1)]),
      says("a call", "tool_calls", calls(1)),
      says("nothing", "stop", []),
      ...(compacts ? [tooLong] : []),
      ...filtered,
      ...failures,
    ];
  }
  const output: ToolUseBlock = { ...toolUse(`c${step}.0`), name: OUTPUT_TOOL, input: { response: 1 } };
  const structured = {
    native: [says("the structured answer", "stop", [text("1")], { value: 1 })],
    tool: [
      says("the structured answer", "tool_calls", [output]),
      says("the structured answer and a call", "tool_calls", [text("and"), output, ...calls(1)]),
    ],
  };
  if (desk) {
    const asked = batchesOf(
      desk.tools.map(({ name }) => name),
      desk.batch,
    ).map((batch) => says(`asks for ${namesOf(batch)}`, "tool_calls", callsOf(batch, step)));
    return [...asked, ...unsent, answer, fails("final failure", false)];
  }
  const ruled = [
    ["refund"],
    ["verify"],
    ["refund", "verify"],
    ["verify", "refund"],
    ["refund", "refund"],
  ].map((names) => {
    const asked = names.map((name, index) => ({ ...toolUse(`c${step}.${index + 1}`), name }));
    return says(`asks for ${names.join(" and ")}`, "tool_calls", asked);
  });
  return [
    ...(wanted ? structured[wanted.mode] : []),
    ...unsent,
    answer,
    ...(context.settings.rules ? ruled : []),
    says("1 call", "tool_calls", calls(1)),
    says("2 calls", "tool_calls", calls(2)),
    says("text and the same call twice", "tool_calls", [text("I call"), ...calls(2)]),
    says("a call cut off at the length limit", "length", calls(1)),
    says("nothing", "stop", []),
    says("thinking only", "stop", [thinking("hm")]),
    says("nothing, filtered", "content_filter", []),
    ...(compacts ? [tooLong] : []),
    ...filtered,
    ...failures,
  ];
}
