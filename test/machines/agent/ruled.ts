import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { useRuleEngine } from "../../../machines/agent/rule-engine.ts";
import { ruleEngine } from "../../../src/kit/rules/engine.ts";
import { before } from "../../../src/kit/rules/build.ts";
import { toolUse } from "../../../src/testing/explorer/messages.ts";

useRuleEngine(ruleEngine);

/** A rule of the tables: `refund` runs only after `verify`. */
export const RULED = { settings: { rules: [before("verify", "refund").data] } } as const;

const named = (id: string, name: string): Pick<CallRecord, "call"> => ({ call: { ...toolUse(id), name } });

export const verify = named("c1", "verify");
export const refund = named("c2", "refund");
