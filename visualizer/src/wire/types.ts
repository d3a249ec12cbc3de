export type { Ack, RunCommand, PendingItem } from "../../../src/inspect/protocol/commands.ts";
export type {
  ChartMessage,
  HubToPage,
  PageToHub,
  Path,
  PatchOp,
  RunFileHeader,
  RunGroup,
  RunRow,
  Step as WireStep,
  StepPage,
  StreamDelta,
  WorkerRow,
} from "../../../src/inspect/protocol/protocol.ts";
export { NO_HELLO, PROTOCOL, RUN_GROUPS } from "../../../src/inspect/protocol/protocol.ts";
export { ANY_SUSPICION, groupOf, hasFacts, OUTCOME_NAMES } from "../../../src/inspect/protocol/outcomes.ts";
export type { OutcomeName, RunFilter } from "../../../src/inspect/protocol/outcomes.ts";
export type { Chart, ChartEdge, ChartNode } from "../../../src/core/diagram/chart-json.ts";
export type { Layout, Layouts, PlacedEdge, PlacedNode } from "../../../src/core/diagram/layout.ts";
export type { Json, JsonObject } from "../../../src/core/base/json.ts";
export type {
  Block,
  CallAccount,
  MediaBlock,
  Msg,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "../../../src/core/message/types.ts";
export type { Decision } from "../../../src/core/tool/pending.ts";
export type { ForkPlace, ForkPlan, ForkStep } from "../../../src/inspect/protocol/fork-plan.ts";
export type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
export type { CallRecord } from "../../../machines/agent/call-record.ts";
export type { Plan, Subtask } from "../../../src/kit/plan/plan.ts";
export type { Todo } from "../../../src/kit/plan/todo.ts";
import type { TrialFinding } from "../../../src/core/tool/rules/trial.ts";
export type { TrialFinding, TriedRule } from "../../../src/core/tool/rules/trial.ts";
/** The findings of a rule about the steps `from` to `upTo` of a run. */
export type Trial = {
  readonly findings: readonly TrialFinding[];
  readonly from: number;
  readonly upTo: number;
};
export type { Suspicion } from "../../../src/inspect/suspicions/suspicion.ts";
export type { RecordedCall } from "../../../src/inspect/protocol/recorded-call.ts";
export type {
  HookChange,
  LensRow,
  PromptLens,
  ShownForm,
} from "../../../src/inspect/protocol/prompt-lens.ts";
export type { WireRequest } from "../../../src/core/model/wire-request.ts";
