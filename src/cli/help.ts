import { SESSIONS_HELP } from "./sessions/sessions-help.ts";
import { WORKER_HELP } from "./workers/worker-help.ts";

/** What `--help` prints, for the program and for each command. */
export const HELP = {
  ...SESSIONS_HELP,
  ...WORKER_HELP,
  program: `agentchart runs a ReAct agent as an explicit statechart.

Usage
  agentchart run "<question>" [flags]          ask an agent with your tools
  agentchart sessions ls|show|resume|…         look at stored conversations, answer and resume them
  agentchart inspect                           watch agents at work, and look at what they did
  agentchart chart --format svg|mermaid|json   print the statechart it runs on
  agentchart worker --agents FILE              drive stored conversations, on any number of machines
  agentchart serve --tokens FILE               serve them over HTTP
  agentchart dead ls|retry                     look after those that were given up
  agentchart <command> --help                  explain a command

Flags
  -h, --help      print this
      --version   print the version
`,
  run: `Asks an agent a question and prints its answer.

Usage
  agentchart run "<question>" [flags]
  agentchart run "<question>" --session ID [flags]   the next question of a stored conversation
  agentchart run --session ID [flags]                go on with what was cut off, as "sessions resume"

Flags
  --model NAME      the model to ask; gpt-4.1-mini at OpenAI and qwen-plus at DashScope unless given
  --base-url URL    a server that speaks Chat Completions, such as http://localhost:11434/v1
  --tools FILE      a .ts or .js file that exports tools made by defineTool(), each by name or all as
                    "export default [...]"; may be given again
  --system TEXT     the system prompt
  --max-iters N     how often the model may be asked before it must sum up; 10 unless given
  --session ID      keep the conversation in a store under this id; it goes on in any later process. What is
                    stored is the conversation: say model, tools and system prompt again each time
  --store STORE     file:DIR, sqlite:PATH or postgres://USER@HOST/DATABASE; file:~/.agentchart/sessions unless
                    given
  --json            print one AgentEvent per line on stdout and nothing else there
  --debug           print the stack of an error
  -h, --help        print this

Environment
  OPENAI_API_KEY      the key for OpenAI, or for the server at --base-url
  OPENAI_BASE_URL     stands for --base-url; a server such as Ollama needs no key
  DASHSCOPE_API_KEY   the key for DashScope, asked if there is neither of the two above
  NO_COLOR            no colours; there are none outside a terminal anyway

Output
  The model's words go to stdout, everything else to stderr.
  Ctrl-C interrupts the turn and keeps what was said so far; a second Ctrl-C exits at once.
  SIGTERM, with --session: the turn stops at its next step, is saved, and the command to go on is printed.

Exit codes
  0     done; also if the turn is suspended, then the calls it waits for are printed, and with --session the
        command that answers them; also after SIGTERM with --session
  1     failed, or interrupted by Ctrl-C
  2     the command line is wrong
  130   a second Ctrl-C
`,
  inspect: `Starts the visualizer: a page that shows agents at work, and stored and exported sessions.

Usage
  agentchart inspect [flags]

Agents of this machine appear by themselves if they are made with createAgent({ inspect: "auto" }).

Flags
  --port N        the port to listen on; a free one unless given
  --host ADDRESS  the address to listen on; 127.0.0.1 unless given. Any other lets other machines in: whoever has
                  the link sees everything, and can answer for you
  --store STORE   sessions to look at: file:DIR, sqlite:PATH or postgres://USER@HOST/DATABASE;
                  file:~/.agentchart/sessions unless given
  --open FILE     a run exported by the page, or a session from "agentchart sessions export"; may be given again
  --readonly      only show: refuse approvals, messages, forks and every other command
  --debug         print the stack of an error
  -h, --help      print this

Output
  The link goes to stdout, everything else to stderr. The link holds the token: whoever has it may look and act.
  ~/.agentchart/inspect.json holds it too, for your eyes only, while the server runs.
  Ctrl-C or SIGTERM ends the server; agents go on.

Exit codes
  0   ended by Ctrl-C or SIGTERM
  1   failed
  2   the command line is wrong
`,
  chart: `Prints the agent's statechart: every state and every transition, in the order of the machine file.

Usage
  agentchart chart --format svg|mermaid|json

Flags
  --format svg       a picture that needs nothing else: no script, no font
  --format mermaid   a stateDiagram-v2, to be pasted into Markdown or https://mermaid.live
  --format json      nodes and edges, with guards, actions, services and descriptions
  --layout SHAPE     of the picture: landscape, which it is unless given, or portrait
  --theme THEME      of the picture: light, which it is unless given, or dark
  --debug            print the stack of an error
  -h, --help         print this

Exit codes
  0   done
  1   failed
  2   the command line is wrong
`,
} as const;
