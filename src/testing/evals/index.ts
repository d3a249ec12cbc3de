export { evaluate } from "./evaluate.ts";
export { casesOfCsv, casesOfJsonLines, casesOfLabels, casesOfSessions } from "./cases.ts";
export { asked, atMost, by, notSuspicious, path, reply, used, usedInOrder } from "./judges.ts";
export type { Limits, Occurrence } from "./judges.ts";
export { matchers, runOf } from "./matchers.ts";
export type { EvalMatchers, StoredRun } from "./matchers.ts";
export { compareEvals, junitOf, readReport } from "./report.ts";
export type { ChangedResult, EvalComparison } from "./report.ts";
export { rubric } from "./rubric.ts";
export type { RubricOptions } from "./rubric.ts";
export type {
  EvalAgentConfig,
  EvalCase,
  EvalProgress,
  EvalReport,
  EvalResult,
  EvalRun,
  EvalStep,
  EvaluateOptions,
  Judge,
  JudgeScope,
  Rate,
  Verdict,
} from "./types.ts";
export { chatsOf } from "./chat-log.ts";
export type { Chat, ChatMessage } from "./chat-log.ts";
export { importChat } from "./import-chat.ts";
export type { ImportChatOptions } from "./import-chat.ts";
export { addLabel, labelsOf } from "../../inspect/labels/labels.ts";
export type { Label, NewLabel } from "../../inspect/labels/labels.ts";
export { obeys } from "./obeys.ts";
export { replayOf } from "../replay/replay-of.ts";
export type {
  Replay,
  ReplayAgentConfig,
  ReplayOptions,
  UnrecordedAnswer,
  UnrecordedCall,
} from "../replay/types.ts";
export type { AgentDifference } from "../replay/agent-changes.ts";
export type { Divergence } from "../replay/divergence.ts";
export { experiment } from "./experiment.ts";
export { tryRelease } from "./try-release.ts";
export type {
  ExperimentAspect,
  ExperimentCluster,
  ExperimentOptions,
  ExperimentReport,
  ExperimentRow,
  Pair,
  RunningReport,
  RunningRow,
  TryReleaseOptions,
} from "./experiment-types.ts";
export type { RunCondition } from "./run-condition.ts";
