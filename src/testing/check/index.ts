export { checkRules } from "./check-rules.ts";
export { bypassRun } from "./bypass-run.ts";
export type { CheckOptions, CheckProgress } from "./subjects.ts";
export type { Questions } from "./claims.ts";
export type { Bypass, RuleReport, RulesReport, WalkReport } from "./report.ts";
export type { Gate, Seen } from "../explorer/desk.ts";
export type { Extent } from "./worlds.ts";
