import {
  amount,
  boolean,
  choice,
  defineCommand,
  duration,
  integer,
  port,
  required,
  string,
  strings,
  withDefault,
} from "./define-command.ts";
import { AGENT, JSON_EVENTS, JSON_RESULT, STORE, STORES, TURN_EXIT_CODES } from "./shared-flags.ts";

export const run = defineCommand({
  name: "run",
  description: "Ask an agent a question and print its answer",
  args: {
    question: string(
      "question",
      "- reads it from stdin, as does a pipe without it; omit it to continue a turn of --session",
    ),
  },
  flags: {
    ...AGENT,
    session: string("ID", "store the conversation under this id, so that later processes can continue it"),
    ...STORE,
    ...JSON_EVENTS,
  },
  examples: [
    'run "What time is it in Tokyo?" --tools tools.ts',
    'run "How far is Osaka?" --model qwen3 --base-url http://localhost:11434/v1',
    'run "Where were we?" --session trip',
    "run - < question.txt",
  ],
  sections: {
    Output: `The model's text goes to stdout, everything else to stderr.
Ctrl-C interrupts the turn and keeps the text so far; a second Ctrl-C exits immediately.
With --session, SIGTERM stops the turn at its next step, saves it and prints the command that continues it.`,
    "Exit codes": TURN_EXIT_CODES,
  },
});

export const check = defineCommand({
  name: "check",
  description: "Prove the rules of agents within bounds, or print the shortest way round them",
  args: { file: required(string("file", "file that exports agents, as its default or as `agents`")) },
  flags: {
    agent: string("NAME", "only this agent (default: all)"),
    turns: integer("N", "calls to the agent in one session (default: 1)"),
    iterations: integer("N", "answers of the model that ask for calls, in one turn (default: 2)"),
    batch: integer("N", "calls in one answer (default: 2)"),
    disturbances: integer("N", "crashes, interrupts and waits in one session (default: 1)"),
    resumptions: integer("N", "times that a turn goes on after it has waited (default: 1)"),
    timeLimit: duration("TIME", "end with what is known after this time (default: 60s)"),
    threads: integer("N", "number of threads (default: one for each processor)"),
    assume: strings("NAME", "a name that a function of a rule reads, and that never changes"),
    withoutApproval: strings("TOOL", "claim that no call of this tool begins without an approval"),
    endWithout: strings("TOOL", "claim that this tool succeeds in each turn that the model ends"),
    runs: string("FOLDER", 'write each way round a rule as a run, for "agentchart inspect --open"'),
    json: boolean("print the reports as JSON"),
  },
  examples: ["check agents.ts", "check agents.ts --disturbances 2 --time-limit 10min --json"],
  sections: {
    Output: `holds      no path within the bounds breaks the rule, and one does without its guard
idle       no call can break the rule, even without its guard
unknown    the time was over first
broken     the shortest path is printed; that of a rule of the mode "shadow" too, which is a claim`,
    "Exit codes": `0    all rules and claims hold
1    one is broken
2    wrong usage
3    one is unknown or idle, and none is broken`,
  },
});

export const crashtest = defineCommand({
  name: "crashtest",
  description: "Kill the process of an agent at every point of a scenario, and report what that changes",
  args: { file: required(string("file", "file that exports agents, and the scenario as `scenario`")) },
  flags: {
    agent: string("NAME", "agent of the file (default: that of the scenario, or the only one)"),
    scenario: string("NAME", "one of the `scenarios` that the file exports"),
    input: strings("TEXT", "what the user says, in the place of the scenario's inputs"),
    release: string("FILE", "agents of the next release, with which runs go on after a kill too"),
    at: strings("POINT", "only this point, as a report names it (default: all)"),
    store: string("STORE", "store of the sessions (default: SQLite in a new folder)", { Stores: STORES }),
    timeLimit: duration("TIME", "end with what is known after this time (default: 10min)"),
    lifeLimit: duration("TIME", "time after which a turn never ends (default: 30s)"),
    concurrency: integer("N", "runs at once (default: one for each processor)"),
    ...JSON_RESULT,
  },
  examples: [
    "crashtest agents.ts",
    'crashtest agents.ts --input "Refund order 17." --store file:sessions --time-limit 2min',
    "crashtest agents.ts --at kill:append:5:before",
  ],
  sections: {
    Warning: "Tools really run, many times: use a test environment.",
    Output: `What was found, each with the first point at which it was, then the commands that repeat it and show its session;
advice about tools; the counts. JSON outside a terminal.`,
    "Exit codes": `0    nothing was found
1    something was found
2    wrong usage
3    the time was over first, or the scenario does not come to its end without a kill`,
  },
});

export const acp = defineCommand({
  name: "acp",
  description: "Serve an agent over stdio to an editor that speaks ACP and starts this command",
  flags: { ...AGENT, ...STORE },
  examples: ["acp --tools tools.ts", "acp --model anthropic/claude-sonnet-4-5 --store sqlite:sessions.db"],
  sections: {
    Output: `stdout is for the editor; everything else goes to stderr. Each session of the editor is a session of the store, and is
opened again by its id. Tools get the folder of the editor as "context.cwd". Needs the package @agentclientprotocol/sdk.`,
    "Exit codes": "0    the editor has closed stdin, or SIGTERM or SIGINT\n2    wrong usage",
  },
});

export const evaluateSuite = defineCommand({
  name: "eval",
  description: "Run an agent on the cases of a suite, judge each run, and compare with an earlier report",
  args: { suite: required(string("suite", "file that exports a suite: { name, agent, cases, judge }")) },
  flags: {
    min: amount("SHARE", "share of runs that must pass, from 0 to 1 (default: 1)"),
    compare: string("FILE", "earlier report to compare with, run by run"),
    out: string("FILE", "write the report as JSON"),
    junit: string("FILE", "write the report as JUnit's XML"),
    case: strings("NAME", "only this case"),
    repeat: integer("N", "number of runs of each case (default: that of the suite)"),
    store: string("STORE", "store of the sessions, with which the command goes on (default: memory)", {
      Stores: STORES,
    }),
    ...JSON_RESULT,
  },
  examples: [
    "eval refunds.ts",
    "eval refunds.ts --repeat 5 --min 0.9 --out report.json --junit report.xml",
    "eval refunds.ts --compare main.json",
  ],
  sections: {
    Output: `The runs that did not pass, each with its session and why, then the counts; JSON outside a terminal.
With --store a run that was cut off goes on, and "agentchart inspect --store" opens each session.`,
    "Exit codes": `0    enough runs passed, and none is significantly worse than in --compare
1    too few passed, some ended as errors or were skipped, it is worse (p < 0.05), or Ctrl-C ended it
2    wrong usage`,
  },
});

export const experimentOn = defineCommand({
  name: "experiment",
  description: "Run stored sessions again with another agent, and report what that changes",
  args: { file: required(string("file", "file that exports agents, as that of a worker")) },
  flags: {
    ...STORE,
    prefix: string("TEXT", "only sessions whose ids begin with this"),
    session: strings("ID", "only this session"),
    label: choice("LABEL", ["right", "wrong"], "only sessions that people have labelled so"),
    limit: integer("N", "the most sessions (default: no limit)"),
    at: string(
      "PLACE",
      `begin at "start", at a step, or before a condition such as '{"asked":"refund"}' (default: start)`,
    ),
    edit: string("FILE", "JSON of changes, as those of sessions fork"),
    times: integer("N", "number of runs of each session (default: 1)"),
    answers: choice(
      "KIND",
      ["recorded", "live"],
      "play recorded answers, or ask the model (default: recorded)",
    ),
    live: strings("TOOL", "a tool that may really run if a call is not recorded"),
    budget: amount("COST", "no run begins once the runs have cost so much"),
    max: amount("SHARE", "share of runs that may differ, from 0 to 1 (default: 0)"),
    into: string("STORE", "store of the runs (default: memory)"),
    running: boolean("open copies of the sessions in flight with these agents, and run nothing"),
    ...JSON_RESULT,
  },
  examples: [
    "experiment agents.ts --store sqlite:sessions.db --prefix desk/ --answers live --budget 2",
    `experiment agents.ts --at '{"asked":"refund"}' --edit prompt.json --answers live --times 5 --into sqlite:runs.db`,
    "experiment next.ts --store postgres://db/agents --running",
  ],
  sections: {
    Warning: `No model is asked, unless --answers live; an --edit of the prompt, the model or its options needs --answers. Calls have their recorded results; others end a run unless --live names
their tool. The stored sessions are only read.`,
    Output: `The runs that differ, then where they part, what of the agent has changed, and the counts; JSON outside a terminal.
With --running the sessions in flight that are not the same in the new release.`,
    "Exit codes": `0    no more runs than --max differ; with --running nothing that waits is lost or asked again
1    more runs differ, some could not be run, or there was none
2    wrong usage`,
  },
});

export const help = defineCommand({
  name: "help",
  description: "Print the help of the program or of a command",
  args: { words: strings("command", "words of the command") },
  examples: ["help", "help sessions fork"],
});

export const inspect = defineCommand({
  name: "inspect",
  description: "Start the visualizer, a page that shows running agents and stored sessions",
  flags: {
    port: withDefault(port("port to listen on"), 0),
    host: withDefault(
      string("ADDRESS", "address to listen on; other machines can use the link on any other"),
      "127.0.0.1",
    ),
    ...STORE,
    open: strings(
      "FILE",
      'run exported by the page, session of "agentchart sessions export", or machine of XState: .json, .ts or .js',
    ),
    suspicions: string("FILE", "also check runs for what this .ts or .js file exports"),
    readonly: boolean("refuse approvals, messages, forks and every other command"),
  },
  examples: ["inspect", "inspect --store sqlite:sessions.db --readonly", "inspect --open machine.ts"],
  sections: {
    Suspicions: `The page says above a run what is odd in it. A check is an object with "name", "title" and "find", see SuspicionCheck
of agentchart/inspect.`,
    Agents: 'Agents of this machine made with createAgent({ inspect: "auto" }) appear by themselves.',
    Output: `The link goes to stdout, everything else to stderr. Its token allows to see everything and to answer for you.
~/.agentchart/inspect.json contains it too, readable by you only, while the server runs.
Ctrl-C or SIGTERM ends the server; the agents continue.`,
  },
});

export const chart = defineCommand({
  name: "chart",
  description: "Print the statechart of the agent, or that of a session's life",
  flags: {
    format: required(choice("FORMAT", ["svg", "mermaid", "json", "xstate"], "output format")),
    machine: choice("MACHINE", ["agent", "session"], "whose chart (default: agent)"),
    layout: choice("LAYOUT", ["landscape", "portrait"], "layout of the svg (default: landscape)"),
    theme: choice("THEME", ["light", "dark"], "theme of the svg (default: light)"),
  },
  examples: ["chart --format svg > agent.svg", "chart --format mermaid"],
  sections: {
    Formats: `svg      a picture without scripts and fonts
mermaid  a stateDiagram-v2 for Markdown and https://mermaid.live
json     nodes and edges with guards, actions, services and descriptions
xstate   a TypeScript module with setup({…}).createMachine({…}), for Stately Studio`,
  },
});

export const completion = defineCommand({
  name: "completion",
  description: "Print a script that completes commands and flags in a shell",
  args: { shell: required(choice("shell", ["bash", "zsh", "fish"], "shell that runs the script")) },
  examples: ["completion bash"],
  sections: {
    "Start-up file of the shell": `bash  eval "$(agentchart completion bash)"
zsh   eval "$(agentchart completion zsh)"
fish  agentchart completion fish | source`,
  },
});
