import type { CallRecord } from "../../../machines/agent/call-record.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { ReviewInput, ToolInput, Verdict } from "../../../machines/agent/services.ts";
import { termsOf } from "../../../machines/agent/updates/reviewing.ts";
import type { ToolResultBlock } from "../../core/message/types.ts";
import { judge } from "../../core/tool/rules/judge.ts";
import type { RuleData } from "../../core/tool/rules/law.ts";
import { stateOf, step } from "../../core/tool/rules/step.ts";
import { toolResultsOf } from "../../core/message/msg.ts";
import { lettersText, type Desk, type DeskTool, type Gate, type Letters, type Seen } from "./desk.ts";
import { toolResult } from "./messages.ts";
import type { Ending, Scene } from "./move.ts";

/** The instant at which approvals expire: no path of a walk takes so long. */
const NEVER = 1e15;

const toolOf = ({ tools }: Desk, name: string): DeskTool | undefined =>
  tools.find((tool) => tool.name === name);

/** A way in which a review may judge one call. */
type Choice = { readonly label: string; readonly verdict: Verdict; readonly letters?: Letters };

function allowed(record: CallRecord, tool: DeskTool, letters: Letters): Choice {
  const { call, decided } = record;
  const edited = typeof decided === "object" && "edit" in decided ? { input: decided.edit } : {};
  return {
    label: `allow${lettersText(letters)}`,
    letters,
    verdict: {
      callId: call.id,
      action: "allow",
      ...tool.terms,
      ...edited,
      rules: { letters, argsHash: "hash", ...(tool.inner && { isInner: true as const }) },
    },
  };
}

const denied = ({ call }: CallRecord): Choice => ({
  label: "deny",
  verdict: {
    callId: call.id,
    action: "deny",
    result: { ...toolResult(call.id, "denied", "denied"), name: call.name },
  },
});

/** Returns all that a gate may read of a call. */
export function seenOf({ transcript, calls }: AgentContext, { call }: Pick<CallRecord, "call">): Seen {
  const results = transcript
    .slice()
    .flatMap((message) => toolResultsOf(message).map(({ name, state }) => ({ tool: name, state })));
  return { tool: call.name, batch: calls.map((each) => each.call.name), results };
}

/** All that a review may say of a call: what a person has decided about it stands. */
/** The ways in which the other rules read the calls of a review: all about them, or none. */
const VARIANTS = [0, 1];

function choicesOf(
  record: CallRecord,
  desk: Desk,
  input: ReviewInput,
  scene: Scene,
  variant: number,
  gate?: Gate,
): readonly Choice[] {
  const { call, decided } = record;
  const base = { callId: call.id };
  const tool = toolOf(desk, call.name);
  if (!tool) return [denied(record)];
  const terms = termsOf(record, input.allowed);
  if (terms) return [{ label: "allow", letters: {}, verdict: { ...base, action: "allow", ...terms } }];
  if (decided === "deny" || (typeof decided === "object" && "deny" in decided)) return [denied(record)];
  if (typeof decided === "object" && "answer" in decided) {
    const result = { ...toolResult(call.id, "answered"), name: call.name };
    return [{ label: "answer", verdict: { ...base, action: "answer", result } }];
  }
  const rest = tool.others[variant] ?? tool.others[0];
  const allows = tool.letters.map((letters) =>
    allowed(record, tool, rest ? { ...letters, ...rest } : letters),
  );
  if (gate) return gate(seenOf(scene.context, record)) ? allows : [denied(record)];
  if (decided !== undefined) return allows;
  const ask: Choice = {
    label: "ask",
    verdict: { ...base, action: "ask", reason: "it asks", argsHash: "hash", expiresAt: NEVER },
  };
  return [...allows, ...(tool.mayAsk ? [ask] : []), denied(record)];
}

/** Every combination of verdicts on the calls that have none, with every reading of their arguments. */
export function deskReviews(
  input: ReviewInput,
  desk: Desk,
  scene: Scene,
  gate: Gate | undefined,
): readonly Ending[] {
  const isVaried = input.calls.some(({ call }) => (toolOf(desk, call.name)?.others.length ?? 0) > 1);
  const combinations = (isVaried ? VARIANTS : [0]).flatMap((variant) =>
    input.calls.reduce<readonly (readonly Choice[])[]>(
      (before, record) => {
        const choices = choicesOf(record, desk, input, scene, variant, gate);
        return before.flatMap((made) => choices.map((choice) => [...made, choice]));
      },
      [[]],
    ),
  );
  return combinations.map((choices) => {
    const granted = choices.filter(({ letters }) => letters !== undefined);
    return {
      label: choices.map(({ label }) => label).join(", ") || "nothing to judge",
      output: { verdicts: choices.map(({ verdict }) => verdict) },
      meaning: {
        grants: granted.map(({ verdict }) => verdict.callId),
        letters: Object.fromEntries(granted.map(({ verdict, letters }) => [verdict.callId, letters!])),
      },
    };
  });
}

/** Every way in which a call ends whose agent inside has made one call, as the rules that it shares allow. Of an attempt that was cut off the
 *  agent says in the next one what it had begun. */
function innerEndings(
  { inner = [] }: DeskTool,
  { call: { id: callId }, attempt }: ToolInput,
  output: object & { readonly result: ToolResultBlock },
  { settings: { rules = [] }, progress, at }: AgentContext,
): readonly Ending[] {
  return inner.flatMap(({ name, letters }) =>
    letters.flatMap((read): Ending[] => {
      const ruled = (rule: RuleData) => ({ id: `${callId}/1`, name, letter: read[rule.name] });
      const stateOfRule = (rule: RuleData) => stateOf(rule, progress.rules, progress.turn);
      const mayRun = rules.every(
        (rule) =>
          rule.mode !== "enforce" || judge(rule.law, stateOfRule(rule), ruled(rule), () => [], at) === "run",
      );
      if (!mayRun) return [];
      const ending = (is: "success" | "maybe", label: string): Ending => ({
        label: `success, and the agent inside ${label} ${name}${lettersText(read)}`,
        output: {
          ...output,
          rules: Object.fromEntries(
            rules.map((rule) => [rule.name, step(rule.law, stateOfRule(rule), ruled(rule), is, at)]),
          ),
        },
        meaning: { result: output.result, inner: [{ name, letters: read, is }] },
      });
      return [ending("success", "ran"), ...(attempt > 1 ? [ending("maybe", "had begun to run")] : [])];
    }),
  );
}

/** Every way in which a call of a desk may end by itself. What a crash, a time-out or an interrupt makes of it is another move. */
export function deskEndings(input: ToolInput, desk: Desk, { context }: Scene): readonly Ending[] {
  const { call, attempt, deadlineAt } = input;
  const { name, id } = call;
  const tool = toolOf(desk, name);
  const base = { callId: id, attempt };
  const success = { ...toolResult(id, `attempt ${attempt}`), name };
  const failure = { ...toolResult(id, `attempt ${attempt} failed`, "error"), name };
  const unsure = { ...toolResult(id, "it may have taken effect", "error"), name };
  const plain: readonly Ending[] = [
    { label: "success", output: { ...base, result: success }, meaning: { result: success } },
    { label: "failure", output: { ...base, result: failure, retry: true }, meaning: { result: failure } },
  ];
  if (tool?.inner) return [...plain, ...innerEndings(tool, input, { ...base, result: success }, context)];
  const late = deadlineAt === null ? desk.jumps : [];
  const at = context.at;
  return [
    ...plain,
    ...late.map((jump) => ({
      label: `success after ${jump} ms`,
      output: { ...base, result: success, at: at + jump },
      meaning: { result: success },
    })),
    { label: "suspended", output: { ...base, suspension: { suspended: true } } },
    { label: "failure after which it may have taken effect", output: { ...base, result: unsure } },
  ];
}
