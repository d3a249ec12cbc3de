export { evaluate } from "./evaluate.ts";
export { casesOfCsv, casesOfJsonLines, casesOfSessions } from "./cases.ts";
export { asked, atMost, by, notSuspicious, path, reply, used, usedInOrder } from "./judges.ts";
export type { Limits, Occurrence } from "./judges.ts";
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
