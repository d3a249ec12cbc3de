// The page for users of AgentScope has a test for each row.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

/** A scenario of test/laws/conformance, or a file below test/ and what the title of one of its tests contains. */
type Proof = string | readonly [file: string, title: string];

/** Which tests show what a row says, by the beginning of the row. */
const PROOFS: { readonly [row: string]: readonly Proof[] } = {
  "`name`, `sysPrompt`": ["loop-13", "fmt-01"],
  "`description`": [["agent/team/calls", "is chosen by the description of its agent"]],
  "`model`": [["model/openai/openai-model", "openaiModel"]],
  "`toolkit`": [["agent/options/shared-parts", "does not change for another with the same toolkit"]],
  "`memory` (`InMemoryMemory`)": ["loop-09", ["agent/context/view", "what the model sees"]],
  "`maxIters` (10)": ["mi-01", "mi-03"],
  "`hooks`, `priority` (100)": ["hook-01"],
  "`generateOptions`": ["opt-01", "opt-05"],
  "`modelExecutionConfig`, `toolExecutionConfig`": ["opt-03", "opt-07", "tr-12"],
  "parallel tool calls (toolkit config)": ["par-01", "par-03"],
  "`checkRunning`": ["loop-17", ["agent/loop/call", "call() with whenBusy queue waits"]],
  "`enableMetaTool`": ["tk-07", "tk-09"],
  "`enablePendingToolRecovery` (false)": ["pend-07", ["agent/loop/loaded-history", "recoverOrphans false"]],
  "`structuredOutputReminder` (TOOL_CHOICE)": [
    "so-07",
    ["agent/structured/structured-output", "structuredReminder PROMPT"],
  ],
  "`statePersistence`": [["session/durable", "a durable agent continues in another process"]],
  "`toolExecutionContext`, `RuntimeContext`": [
    ["agent/tools/regressions", "the context of a call reaches tools"],
    ["session/durable", "the context is in none of them"],
  ],
  "`ToolSuspendException`": ["sus-01", "sus-03"],
  "methods with `@Tool`, `register_tool_function`": [
    ["tool/tools-from", "run its methods with the object as `this`"],
    ["tool/tools-from", "run static methods of a class"],
  ],
  "preset parameters": ["tk-11", "tk-13"],
  "`PlanNotebook`": ["plan-01", "plan-03"],
  "`LongTermMemory`": [
    "ltm-01",
    "ltm-09",
    ["agent/memory/long-term-memory", "keeps with a fact why it was recorded and whom it comes from"],
  ],
  "RAG: `Knowledge`, `RAGMode`": ["rag-01", "rag-05"],
  "`execute_shell_command`": [
    ["workspace/agentscope-tools", "they have AgentScope's names"],
    ["workspace/agentscope-tools", "a command tells its return code and its streams"],
  ],
  skills: [["agent/skills/skills", "gives the instructions of a skill and its files"]],
  "`OpenAIChatFormatter`, `OpenAIMultiAgentFormatter`": [
    "fmt-05",
    ["model/openai/merge-conversations", "what several speakers say is one user message"],
  ],
  "permissions (2.0)": [["agent/approvals/approval", "a decision with a stale hash is refused"]],
  "– budget": [
    ["agent/limits/budget", "a budget of tool calls suspends the turn"],
    ["agent/loop/call", "the fallback model is asked after the first model has failed for good"],
    ["agent/hooks/hooks", "a goto beyond maxGotos"],
  ],

  "`PreCallEvent`": ["hook-15"],
  "`PreReasoningEvent`": ["hook-07"],
  "`ReasoningChunkEvent`": ["st-01"],
  "`PostReasoningEvent`, `stopAgent()`, `gotoReasoning(msgs)`": ["hitl-01", "goto-01"],
  "`PreActingEvent`": [["agent/hooks/hooks", "hooks can deny a call, replace its input"]],
  "`ActingChunkEvent`": ["st-13"],
  "`PostActingEvent`, `stopAgent()`": [
    "hook-11",
    "hitl-07",
    ["agent/hooks/durations", "is told how long the last attempt of the call took"],
  ],
  "`PreSummaryEvent`, `SummaryChunkEvent`, `PostSummaryEvent`": ["mi-09", "mi-11"],
  "`PostCallEvent`": [["agent/loop/golden-traces", "no post hook runs"]],
  "– onInterrupt": [["agent/interrupts/late-interrupts", "while onInterrupt hooks run"]],
  "`pre_reply`, `post_reply` (Python)": ["hook-15"],
  "`pre_print`, `post_print` (Python)": [
    ["agent/hooks/print", "changes what is shown of pieces of %i characters, and not what is stored"],
  ],
  "hooks of a class, `register_class_hook` (Python)": [
    ["agent/options/define-agent", "run before those of each of its agents"],
    ["agent/options/define-agent", "reaches those that live, those that are made later"],
  ],
  "`ErrorEvent`": ["hook-13"],

  "`agent.call(msgs).block()`": ["loop-01"],
  "`agent.call()` to resume": ["pend-01"],
  "`agent.call(toolResultMsg)`": ["sus-05", "pend-13"],
  "`agent.call(msgs, Answer.class)`": ["so-01"],
  "`agent.stream(…)`": ["st-17", "st-21"],
  "`GenerateReason`": ["mem-05", "int-03"],
  "`agent.interrupt(msg)`": ["int-01"],
  "`agent.observe(msg)`": [["agent/loop/golden-traces", "what is observed while suspended waits"]],
  "`memory.deleteMessage(index)`": [["session/edit", "removes and replaces messages"]],
  "state `PERMISSION_ASKING` (2.0)": [["agent/approvals/approval", "no call of a batch runs before one"]],

  "an interrupt leaves open calls": [
    "int-05",
    ["agent/interrupts/interrupt", "answers the other calls in call order"],
  ],
  "an interrupt before the model": ["int-11", ["agent/interrupts/regressions", "F2 an interrupt before"]],
  "results are stored when": [["machines/agent/results", "results that are stored together"]],
  "retries and the fallback": [
    ["agent/loop/call", "a model call that fails before its first part is retried"],
  ],
  "`postActing` for results": ["terr-03"],
  "a call without an id": [["model/fold", "an id repeated within the answer is replaced"]],
  "arguments that are JSON": ["st-09"],
  "partial execution options": [
    "opt-07",
    ["agent/loop/call", "a model that stops sending between two chunks"],
  ],
  "the iteration counter": ["pend-15", "sus-09", ["agent/loop/regressions", "F4 a resumed turn"]],
  "an empty answer": [["agent/loop/call", "empty answers are retried twice and not stored"]],
  "a structured answer that": [
    ["agent/structured/structured-output", "never produces fails with output/missing"],
  ],
  "a tool takes the place": [["agent/options/bad-input", "tool/duplicate"]],
  "a call without input": ["hub-03", "hub-05"],
  "`reset_equipped_tools`": ["tk-07"],
  "texts of the plan notebook": ["plan-09", "plan-19"],

  "`Memory`": ["mem-01"],
  "`Session`, `JsonSession`": ["ses-01", ["store/two-processes", "of two processes one gets the lease"]],
  "`saveTo`, `loadFrom`": ["ses-05", ["session/durable", "saveTo and loadFrom move a suspended session"]],
  "`SessionManager`": [["session/durable", "sessionManager saves and loads several agents"]],
  "loop position re-derived": ["ses-03", ["session/time-travel", "continues to the same answer"]],
  "– agent.snapshot": [["agent/limits/budget", "the counters of a budget survive a snapshot"]],
  "the caller ensures one process": [["session/durable", "gets session/conflict and changes nothing"]],
  "graceful shutdown hook": [["session/durable", "shutdown() stops at the next commit point"]],

  "`SubAgentTool`": [["agent/team/calls", "tells it the message in a session of its own"]],
  "`SubAgentConfig.forwardEvents`": [
    ["agent/team/events", "are events of the outermost one, with their source"],
  ],
  "`SequentialPipeline`": ["pipe-01", "pipe-03"],
  "`FanoutPipeline`": ["pipe-05", ["agent/team/pipeline", "in a fan-out ends it when all have ended"]],
  "`MsgHub`": ["hub-01", "hub-07", ["agent/team/hub", "has a participant once that is given twice"]],
  "`add`, `delete`": ["hub-03", "hub-05"],
  "`UserAgent`": [["agent/team/user-agent", "asks what to say to what it has heard"]],
  "`StreamUserInput`": [["agent/team/user-agent", "does not want to answer with Ctrl-C"]],
  "`StudioUserInput`": [["agent/team/user-agent", "rests suspended without `ask`"]],
  "retry of a whole call": [["agent/errors/retries", "goes on with its turn where that has failed"]],
};

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The rows of the tables of the page: their first cells, and the second one behind a dash. */
const rows = read("docs/from-agentscope.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:AgentScope|-+) /u.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| /u, "").trim()))
  .map(([first = "", second = ""]) => (first === "–" ? `– ${second.replaceAll("`", "")}` : first));

const scenarios = new Set(
  globSync("test/laws/conformance/scenarios/*.json", { cwd: ROOT }).flatMap((file) =>
    (JSON.parse(read(file)) as { readonly scenarios: readonly { readonly id: string }[] }).scenarios.map(
      ({ id }) => id,
    ),
  ),
);

/** What is missing of a proof; undefined if nothing is. */
function problemOf(proof: Proof): string | undefined {
  if (typeof proof === "string") return scenarios.has(proof) ? undefined : `no scenario ${proof}`;
  const [file, title] = proof;
  const path = `test/${file}.test.ts`;
  if (!existsSync(join(ROOT, path))) return `no file ${path}`;
  return read(path).includes(title) ? undefined : `${path} has no test "${title}"`;
}

/** The key of a row: the longest beginning of it that has proofs. */
const keyOf = (row: string): string | undefined =>
  Object.keys(PROOFS)
    .filter((key) => row.startsWith(key))
    .toSorted((a, b) => b.length - a.length)[0];

describe("docs/from-agentscope.md", () => {
  test("has a test for each of its rows", () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((row) => keyOf(row) === undefined)).toEqual([]);
  });

  test("has a row for each entry of the list of tests", () => {
    const used = rows.map(keyOf);
    expect(Object.keys(PROOFS).filter((key) => !used.includes(key))).toEqual([]);
    expect(used.filter((key, at) => used.indexOf(key) !== at)).toEqual([]);
  });

  test("names scenarios and tests that exist", () => {
    expect(
      Object.values(PROOFS)
        .flat()
        .flatMap((proof) => problemOf(proof) ?? []),
    ).toEqual([]);
  });
});
