export { crashTest } from "./crash-test.ts";
export type {
  CrashAdvice,
  CrashFinding,
  CrashFindingKind,
  CrashReport,
  CrashRun,
  CrashScenario,
  CrashTestOptions,
} from "./types.ts";
