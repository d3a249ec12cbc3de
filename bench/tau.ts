import { readFileSync } from "node:fs";
import { chatsOf, importChat } from "agentchart/evals";
import { auditSession, type Finding } from "agentchart/rules";
import { memoryStore } from "agentchart/store/memory";
import { inputOf, rules, WRITES } from "../examples/airline-desk/rules.ts";
import { benchOptions, fail } from "./options.ts";

type Action = { readonly name: string; readonly kwargs: { readonly [key: string]: unknown } };
type Trajectory = {
  readonly task_id: number;
  readonly reward: number;
  readonly info: { readonly task: { readonly actions: readonly Action[] } };
};

const HELP = `Audits the recorded airline sessions of tau-bench with the rules of examples/airline-desk: what they would have stopped.

Usage: npm run bench:tau -- FILE

  FILE    the recorded trajectories (JSON)
  --help  prints this`;
const [file] = benchOptions(HELP, {}, { allowPositionals: true }).positionals;
if (file === undefined) fail(`Expected a file.\n\n${HELP}`);
const text = readFileSync(file, "utf8");
const trajectories = JSON.parse(text) as readonly Trajectory[];
const chats = chatsOf(text, file);

const isWrite = (name: string): boolean => (WRITES as readonly string[]).includes(name);
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([key, each]) => [key, sorted(each)]));
};
const keyOf = (name: string, input: unknown): string => `${name} ${JSON.stringify(sorted(input))}`;
const aboutOf = (name: string, input: { readonly [key: string]: unknown }): string =>
  `${name} ${String(input["reservation_id"] ?? input["user_id"])}`;

const store = memoryStore();
const counts = { sessions: 0, stopped: 0, right: 0, rightStopped: 0, wrong: 0, wrongStopped: 0, unjudged: 0 };
const byRewards = { failed: [0, 0], rewarded: [0, 0] };
const byRule = new Map<string, { broke: number; unjudged: number }>();
const rightStopped: string[] = [];
let auditMs = 0;
for (const [at, chat] of chats.entries()) {
  const { reward, task_id: task, info } = trajectories[at]!;
  const id = await importChat(store, chat, { isFailure: (output) => output.startsWith("Error") });
  const before = process.cpuUsage().user;
  const findings = await auditSession(store, id, rules, { inputOf });
  auditMs += (process.cpuUsage().user - before) / 1_000;
  const broke = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { rule, what, callId } = finding;
    const of = byRule.get(rule) ?? { broke: 0, unjudged: 0 };
    if (what === "broke") of.broke++;
    if (what === "unjudged") of.unjudged++;
    byRule.set(rule, of);
    if (what === "broke") broke.set(callId, [...(broke.get(callId) ?? []), finding]);
  }
  counts.sessions++;
  counts.unjudged += findings.filter(({ what }) => what === "unjudged").length;
  if (broke.size > 0) counts.stopped++;
  const row = reward === 1 ? byRewards.rewarded : byRewards.failed;
  row[0]!++;
  if (broke.size > 0) row[1]!++;
  const wanted = new Set(info.task.actions.map(({ name, kwargs }) => keyOf(name, kwargs)));
  const subjects = new Set(info.task.actions.map(({ name, kwargs }) => aboutOf(name, kwargs)));
  const outputs = new Map(
    chat.messages.flatMap((message) =>
      message.role === "tool" ? [[message.tool_call_id, message.content]] : [],
    ),
  );
  for (const message of chat.messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) {
      const { name } = call.function;
      if (!isWrite(name) || String(outputs.get(call.id)).startsWith("Error")) continue;
      const input = JSON.parse(call.function.arguments) as { readonly [key: string]: unknown };
      const stopped = broke.get(call.id);
      if (wanted.has(keyOf(name, input))) {
        counts.right++;
        if (stopped) counts.rightStopped++;
        for (const { rule } of stopped ?? []) rightStopped.push(`task ${task}, ${name}: ${rule}`);
      } else if (!subjects.has(aboutOf(name, input))) {
        counts.wrong++;
        if (stopped) counts.wrongStopped++;
      }
    }
  }
}

console.log(`${counts.sessions} sessions, audited in ${auditMs.toFixed(0)} ms of CPU`);
console.log(
  `a rule breaks in ${counts.stopped}: ${byRewards.failed[1]} of ${byRewards.failed[0]} that failed, ${byRewards.rewarded[1]} of ${byRewards.rewarded[0]} that succeeded`,
);
console.log(
  `writes about something that the task never wants: ${counts.wrong}, stopped ${counts.wrongStopped}`,
);
console.log(`writes that are exactly the task's own: ${counts.right}, stopped ${counts.rightStopped}`);
for (const [line, count] of Object.entries(Object.groupBy(rightStopped, (each) => each)))
  console.log(`  ${line} (${count?.length})`);
console.log(`findings that cannot be judged: ${counts.unjudged}`);
for (const [rule, { broke, unjudged }] of byRule)
  console.log(`  ${rule}: ${broke} broken, ${unjudged} not judged`);
