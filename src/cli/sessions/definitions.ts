// src/cli/sessions holds the commands for stored sessions.
import { REASONS } from "../../core/message/types.ts";
import { SESSION_PHASES } from "../../store/port.ts";
import {
  amount,
  boolean,
  choice,
  defineCommand,
  duration,
  integer,
  required,
  string,
  strings,
} from "../define-command.ts";
import { AGENT, JSON_EVENTS, JSON_RESULT, SESSION_ID, STORE, TURN_EXIT_CODES } from "../shared-flags.ts";

export const list = defineCommand({
  name: "sessions ls",
  description: "List the sessions of a store as a table, or as JSON lines outside a terminal",
  flags: {
    prefix: string("TEXT", "only ids with this prefix"),
    phase: choice("PHASE", SESSION_PHASES, "only sessions in this phase"),
    limit: integer("N", "maximum number of sessions (default: all)"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions ls --phase suspended", "sessions ls --json"],
});

export const search = defineCommand({
  name: "sessions search",
  description:
    "Find sessions by what was said in them, the last changed first, as JSON lines outside a terminal",
  args: { text: string("words", "beginnings of words that all stand in the session (default: any session)") },
  flags: {
    agent: string("NAME", "only sessions of this agent"),
    phase: choice("PHASE", SESSION_PHASES, "only sessions in this phase"),
    reason: choice("REASON", REASONS, "only sessions whose newest turn ended with this reason"),
    tool: string("NAME", "only sessions in which the model asked for this tool"),
    within: duration("AGE", "only sessions that have changed within this time, such as 7d or 12h"),
    minCost: amount("N", "only sessions that are known to have cost at least this"),
    maxCost: amount("N", "only sessions that are known to have cost at most this"),
    prefix: string("TEXT", "only ids with this prefix"),
    limit: integer("N", "maximum number of sessions (default: all)"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: [
    'sessions search "refund INV-90017"',
    "sessions search --reason ERROR --tool refund --within 7d",
  ],
  sections: {
    Index:
      "The store keeps an index of its sessions, and adds what has changed before each search. The first search\nof an old store takes longer.",
  },
});

/** The exit codes of commands that look for something in a session or in all. */
const SEARCH_EXIT_CODES = `0    done, whether or not something was found
1    failure, or sessions that cannot be read
2    wrong usage`;

export const suspicions = defineCommand({
  name: "sessions suspicions",
  description: "Print what is odd in a session, or in all of them, as JSON lines outside a terminal",
  args: { id: string("id", "id of the session (default: all sessions, the last changed first)") },
  flags: {
    kind: string("NAME", "only what this check found"),
    agent: string("NAME", "only sessions of this agent"),
    within: duration("AGE", "only sessions that have changed within this time, such as 7d or 12h"),
    limit: integer("N", "maximum number of suspicions (default: all)"),
    suspicions: string("FILE", "also make the checks that this .ts or .js file exports"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions suspicions trip", "sessions suspicions --kind repeated-call --within 7d"],
  sections: {
    Checks: `A check is an object with "name", "title" and "find", a function of the facts of a run (SuspicionCheck of
agentchart/inspect). One with the name of a built-in check replaces it. The page of "agentchart inspect" shows the same.`,
    "Exit codes": SEARCH_EXIT_CODES,
  },
});

export const show = defineCommand({
  name: "sessions show",
  description: "Print the state, the messages and the open calls of a session, as JSON outside a terminal",
  args: SESSION_ID,
  flags: {
    at: integer("N", "as of this journal position; the table has the position after each message"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions show trip", "sessions show trip --at 7"],
});

export const resume = defineCommand({
  name: "sessions resume",
  description: "Continue a turn that is suspended or was cut off; no call that has a result runs again",
  args: SESSION_ID,
  flags: {
    answer: strings(
      "CALL=TEXT",
      "set the result of an open call, which then does not run, or answer a question",
    ),
    approve: strings("CALL", "allow an open call to run"),
    deny: strings("CALL[=REASON]", "deny an open call, whose reason the model reads, or decline to answer"),
    retry: strings("CALL", "run a call again that may have run before"),
    ...AGENT,
    ...STORE,
    ...JSON_EVENTS,
  },
  examples: [
    "sessions resume trip --tools tools.ts",
    "sessions resume trip --approve call_1 --deny call_2=expensive --tools tools.ts",
  ],
  sections: {
    Decisions: `They are stored until no call is open; then the turn continues.
Without a decision, calls that wait for a result run again.`,
    "Exit codes": TURN_EXIT_CODES,
  },
});

export const plan = defineCommand({
  name: "sessions plan",
  description: "Print the plan of a session, or replace it",
  args: SESSION_ID,
  flags: {
    set: string("FILE", "replace the plan by the JSON of this file, or of stdin with -; null removes it"),
    revision: integer("N", "only if the plan still has this revision, which the command prints", async () =>
      (await import("../../core/base/option-schema.ts")).integer(0),
    ),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions plan trip", "sessions plan trip --set plan.json --revision 3"],
  sections: {
    "A running session":
      "Its worker takes the plan, unless it has changed by then. A process that is not a worker does not read it.",
  },
});

export const breakpoints = defineCommand({
  name: "sessions break",
  description: "Print the breakpoints of a session, replace them, or find calls that they would stop",
  args: { id: string("id", "id of the session (default with --find: all sessions)") },
  flags: {
    set: string("FILE", "replace them by the JSON of this file, or of stdin with -; [] removes them"),
    find: string("FILE", "find the calls that the breakpoints of this file, or of stdin with -, meet"),
    limit: integer("N", "maximum number of calls that are found (default: all)"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions break trip --set breakpoints.json", "sessions break --find breakpoints.json"],
  sections: {
    Breakpoints: `A list of conditions, of which each names what must hold: "tool" (a name, with * and ?), "where" (tests of
arguments: "path", "is" and "value"), "same" (the n-th same call of a turn), "tokens" and "cost" of the turn so far, or what
happened since the session rested last: "state", "edge" ("from", "to", "on"), "guard" ("name", "is"), "hook" ("name", "point",
"changed").
A session stops before a call that meets one, and waits for an approval: "sessions resume" decides.`,
    "A running session":
      "Its worker takes the breakpoints. A process that is not a worker does not read them.",
    "Exit codes": SEARCH_EXIT_CODES,
  },
});

export const compact = defineCommand({
  name: "sessions compact",
  description:
    "Sum up the conversation of a session, so that its next prompt is shorter; what is stored stays",
  args: SESSION_ID,
  flags: {
    instructions: string("TEXT", "what the summary is to keep"),
    ...AGENT,
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ['sessions compact trip --instructions "Keep all dates."'],
});

export const fork = defineCommand({
  name: "sessions fork",
  description: "Start new sessions from a position of another one, which does not change",
  args: SESSION_ID,
  flags: {
    at: integer("N", 'after this journal position; "sessions show" prints the one after each message'),
    before: integer("N", "before the step that wrote this journal position, so that it happens again"),
    as: string("ID", "id of the new session (default: random); with --times, ID-1, ID-2 and so on"),
    edit: string("FILE", "change what the JSON of this file says, or of stdin with -"),
    times: integer("N", "how many forks, at most 100 (default: 1)", async () =>
      (await import("../../core/base/option-schema.ts")).integer(1, 100),
    ),
    run: boolean("run the forks, one after another, with the agent of the flags"),
    results: choice(
      "KIND",
      ["recorded", "live"],
      "with --run: repeat the recorded results of tools, or really run them",
    ),
    ...AGENT,
    ...STORE,
    ...JSON_RESULT,
  },
  examples: [
    "sessions fork trip --at 7 --as trip-2",
    "sessions fork trip --before 9 --edit changes.json --times 3 --run --results recorded --tools tools.ts",
  ],
  sections: {
    Position: `One of --at and --before. With --at the fork begins at the end of the step that wrote the position, with --before
before that step. Its output says where.`,
    Tools: `--run asks the model again. If a tool acts each time it runs, say with --results what calls do. With "recorded" no tool
runs: a call that was recorded with the same arguments has its result, and another one waits for a result.`,
    Changes: `An object with some of these fields; "sessions show --json" prints the ids:
  "system": "TEXT"                     the system prompt
  "messages": { "ID": "TEXT" }         a text, an array of blocks, or null to remove the message
  "results": { "CALL": "TEXT" }        the result of a call; an open call does not run
  "arguments": { "CALL": { … } }       the arguments of a call; an open call runs with them
  "tools": ["NAME"]                    the tools that are left
  "model": "NAME"                      the model that is asked
  "options": { "temperature": 0 }      options of the model; null leaves one to the provider`,
  },
});

export const exportSession = defineCommand({
  name: "sessions export",
  description: "Write a session as NDJSON with a checksum, including a session that cannot run",
  args: SESSION_ID,
  flags: {
    out: string("FILE", "write to this file instead of stdout; only a complete export replaces it"),
    secrets: boolean(
      "keep the values of keys such as apiKey, password and token, without which it cannot be imported",
    ),
    ...STORE,
  },
  examples: ["sessions export trip --out trip.ndjson"],
});

export const importSession = defineCommand({
  name: "sessions import",
  description: 'Store a session that "agentchart sessions export" wrote, or conversations of other programs',
  args: { file: required(string("file", "exported file, or - for stdin")) },
  flags: {
    as: string(
      "ID",
      "id of the session in the store (default: its own id); of conversations, what their ids begin with",
    ),
    chats: boolean("the file holds conversations: JSON, or JSON Lines"),
    failure: string(
      "TEXT",
      "with --chats: what the output of a call begins with that has failed, such as Error",
    ),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: [
    "sessions import trip.ndjson --as trip-2",
    "sessions import chats.jsonl --chats --failure Error",
  ],
  sections: {
    Conversations:
      "A conversation is { id?, model?, messages } in the message format of OpenAI's Chat Completions API, or a trajectory of tau-bench,\n{ task_id, trial, traj }. Each becomes a session, completely or not at all; those before a wrong one stay. Nothing is called: the\nmodel and the tools answer as recorded.",
  },
});

export const remove = defineCommand({
  name: "sessions rm",
  description: "Delete a session permanently, unless it is open in another process",
  args: SESSION_ID,
  flags: {
    yes: boolean("do not ask for confirmation; required outside a terminal"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["sessions rm trip --yes"],
  sections: { "Exit codes": "0    deleted\n1    failure, or not confirmed\n2    wrong usage" },
});

export const move = defineCommand({
  name: "sessions move",
  description: "Move sessions from store to store while workers go on; may be killed and called again",
  flags: {
    from: string("STORE", "move all sessions of this store into that of --store"),
    settle: duration("AGE", "how long a process may take to write a session that it began (default: 10min)"),
    finish: boolean("remove what was moved from the former stores, once no process uses them"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: [
    "sessions move --from file:./sessions --store sqlite:./sessions.db --settle 1s",
    "sessions move --store partitions:./partitions.json",
    "sessions move --store partitions:./partitions.json --finish",
  ],
  sections: {
    Partitions: `A JSON file: [{ "store": STORE, "upTo": "7fffffff", "movesFrom": STORE }, …], in the order of the last hashes, of which the last
is "ffffffff". "env:NAME" is a store that an environment variable names. Give all processes the file before sessions are moved.`,
  },
});

export const prune = defineCommand({
  name: "sessions prune",
  description: "Delete stopped sessions that nothing was added to for a time",
  flags: {
    olderThan: required(duration("AGE", "how long nothing was added, such as 30d, 12h or 90min")),
    prefix: string("TEXT", "only ids with this prefix"),
    archive: string(
      "DIR",
      'first write each session, with its secrets, to a file that "sessions import" restores',
    ),
    dryRun: boolean("print the sessions that would be deleted, and delete nothing"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: [
    "sessions prune --older-than 30d --dry-run",
    "sessions prune --older-than 30d --archive ./archive",
  ],
  sections: {
    "What stays":
      "Sessions that are running, wait for something or are quarantined, that another process holds, that have a waiting input, or\nthat are damaged. Without a terminal, each deleted session is a line of JSON.",
  },
});

export const audit = defineCommand({
  name: "audit",
  description:
    "Say which calls of stored sessions break rules, as a table, or as JSON lines outside a terminal",
  flags: {
    rules: required(
      string(
        "FILE",
        "file that exports rules of agentchart/rules, as its default or as `rules`; or policies: .dw, .cedar",
      ),
    ),
    prefix: string("TEXT", "only sessions whose ids have this prefix"),
    limit: integer("N", "maximum number of sessions (default: all)"),
    ...STORE,
    ...JSON_RESULT,
  },
  examples: ["audit --rules rules.ts", "audit --rules rules.ts --store sqlite:sessions.db --json"],
  sections: {
    Output: `broke      the rule would have stopped the call
ordered    the call would have waited for others of its batch
unjudged   what the call ran with is not stored`,
    "Exit codes": `0    no call breaks a rule
1    some do, or cannot be judged, or sessions cannot be read
2    wrong usage`,
  },
});
