// src/kit/rules makes rules about the calls of agents, and holds what enforces them, which is loaded with them.
export { auditSession } from "./audit.ts";
export type { AuditOptions, Finding } from "./audit.ts";
export { approvedBy, atMost, before, never, onlyIf, sum } from "./build.ts";
export type { Never } from "./build.ts";
export { rulesOfDogwood } from "./dogwood/index.ts";
export type { DogwoodOptions } from "./dogwood/index.ts";
export { anyOf, inTurn, shadow, within } from "./combine.ts";
export type { Tools } from "./parts.ts";
export type { Law, RuleData } from "../../core/tool/rules/law.ts";
export type { AboutOptions, Duration, Per, RuleOptions } from "./options.ts";
export type { Rule } from "../../core/tool/rules/rule.ts";
export { withRules } from "../../core/tool/rules/store-rules.ts";
