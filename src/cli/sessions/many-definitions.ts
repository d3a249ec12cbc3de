import { LABELS } from "../../store/labels-session.ts";
import { OUTCOME_NAMES } from "../../store/outcomes.ts";
import { amount, boolean, choice, defineCommand, duration, string } from "../define-command.ts";
import { JSON_RESULT, SESSION_ID, STORE } from "../shared-flags.ts";

export const overview = defineCommand({
  name: "sessions overview",
  description:
    "Sum up the sessions of a store: outcomes, edges, tools, costs and what is odd, as JSON outside a terminal",
  flags: {
    text: string("WORDS", "only sessions with these beginnings of words"),
    agent: string("NAME", "only sessions of this agent"),
    outcome: choice("OUTCOME", OUTCOME_NAMES, "only sessions with this outcome"),
    tool: string("NAME", "only sessions in which the model asked for this tool"),
    suspicion: string("NAME", 'only sessions in which this check found something, or "any"'),
    within: duration("AGE", "only sessions that have changed within this time, such as 7d or 12h"),
    minCost: amount("N", "only sessions that are known to have cost at least this"),
    suspicions: string("FILE", "also make the checks that this .ts or .js file exports"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions overview --agent desk --within 7d", "sessions overview --json"],
});

export const label = defineCommand({
  name: "sessions label",
  description: "Say that a session is right or wrong, and why; labels are kept beside the session",
  args: SESSION_ID,
  flags: {
    as: choice("LABEL", LABELS, "what the session is; none withdraws it"),
    note: string("TEXT", "why"),
    expected: string("TEXT", "the answer that would have been right"),
    by: string("NAME", "who says it (default: the user of this machine)"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ['sessions label refund-17 --as wrong --note "It paid twice."'],
});

export const labels = defineCommand({
  name: "sessions labels",
  description: "List what people said about sessions, or print it as cases of an evaluation",
  args: { id: string("id", "id of the session (default: all sessions)") },
  flags: {
    as: choice("LABEL", LABELS, "only these labels"),
    all: boolean("every label that was given, not only the newest of each session"),
    cases: boolean('print a case of "agentchart eval" for each labelled session, as JSON lines'),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions labels --as wrong", "sessions labels --cases > cases.jsonl"],
});

export const test = defineCommand({
  name: "sessions test",
  description: "Make a test of a session: a file for Vitest with what was said, answered and returned",
  args: SESSION_ID,
  flags: {
    agents: string("FILE", "file that exports the agents, as that of a worker (default: agents.ts)"),
    out: string("FILE", "write to this file instead of stdout"),
    secrets: boolean(
      "keep values whose keys are named like secrets, without which such a session makes no test",
    ),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions test refund-17 --agents src/agents.ts --out test/refund-17.test.ts"],
});
