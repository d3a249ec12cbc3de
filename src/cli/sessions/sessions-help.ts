const COMMON = `  --store STORE     file:DIR, sqlite:PATH or postgres://USER@HOST/DATABASE; file:~/.agentchart/sessions unless
                    given
  --debug           print the stack of an error
  -h, --help        print this
`;

const EXIT_CODES = `Exit codes
  0   done
  1   failed
  2   the command line is wrong
`;

/** What `--help` prints for `agentchart sessions` and its commands. */
export const SESSIONS_HELP = {
  sessions: `Looks at stored conversations, answers what they wait for, and takes them along.

Usage
  agentchart sessions ls                 list them
  agentchart sessions show <id>          print one, as it stands or stood
  agentchart sessions resume <id>        go on with a turn that waits or was cut off
  agentchart sessions fork <id> --at N   begin a new one as this one stood
  agentchart sessions export <id>        write one as NDJSON
  agentchart sessions import FILE        read that back
  agentchart sessions rm <id>            delete one
  agentchart sessions <command> --help   explain a command

Flags
  --debug      print the stack of an error
  -h, --help   print this

Conversations get there by: agentchart run "<question>" --session ID
An id that begins with a dash goes behind two of them: agentchart sessions show -- -id
`,
  "sessions ls": `Lists the sessions of a store, in the order of their ids: a table in a terminal, else one JSON object a line.

Usage
  agentchart sessions ls [flags]

Flags
  --prefix TEXT     only ids that begin so
  --phase PHASE     only those that are stopped, running, suspended, unfinished or quarantined
  --limit N         at most so many; all unless given
${COMMON}
${EXIT_CODES}`,
  "sessions show": `Prints a session: where it stands, its messages, its open calls. A table in a terminal, else one line of JSON.

Usage
  agentchart sessions show <id> [flags]

Flags
  --at N            as it stood at this position; the table has the position behind each message
${COMMON}
${EXIT_CODES}`,
  "sessions resume": `Goes on with a turn that waits for something or was cut off. Nothing that has its result is done twice.

Usage
  agentchart sessions resume <id> [flags]

Flags
  --answer CALL=TEXT     the result of an open call, which then does not run
  --approve CALL         let it run
  --deny CALL[=REASON]   do not let it run; the model reads why
  --retry CALL           run it again, though it may have run before
                         The four may be given again. The turn goes on when no call waits any more; decisions are
                         kept until then. Without any, calls that wait for their result are run again
  --model NAME           the model to ask, as in "agentchart run"
  --base-url URL         a server that speaks Chat Completions
  --tools FILE           a .ts or .js file that exports tools; may be given again
  --system TEXT          the system prompt
  --max-iters N          how often the model may be asked in a turn; 10 unless given
  --json                 print one AgentEvent per line on stdout and nothing else there
  --store STORE          file:DIR, sqlite:PATH or postgres://USER@HOST/DATABASE; file:~/.agentchart/sessions
                         unless given
  --debug                print the stack of an error
  -h, --help             print this

Exit codes
  0     done; also if calls still wait, then they are printed; also after SIGTERM
  1     failed, or interrupted by Ctrl-C
  2     the command line is wrong
  130   a second Ctrl-C
`,
  "sessions fork": `Begins a new session as another one stood. The other one stays as it is.

Usage
  agentchart sessions fork <id> --at N [flags]

Flags
  --at N            the position; "agentchart sessions show" has the one behind each message
  --as ID           the id of the new session; a random one unless given
${COMMON}
${EXIT_CODES}`,
  "sessions export": `Writes a session as NDJSON with a checksum; also one that cannot be run.

Usage
  agentchart sessions export <id> [flags]

Flags
  --out FILE        a file instead of stdout; replaced only if all went well
${COMMON}
${EXIT_CODES}`,
  "sessions import": `Puts what "export" wrote into a store, all or nothing.

Usage
  agentchart sessions import FILE [flags]      FILE may be - for stdin

Flags
  --as ID           under this id; its own unless given
${COMMON}
${EXIT_CODES}`,
  "sessions rm": `Deletes a session for good, unless it is open in another process.

Usage
  agentchart sessions rm <id> [flags]

Flags
  --yes             do not ask; needed outside a terminal
${COMMON}
Exit codes
  0   deleted
  1   failed, or kept
  2   the command line is wrong
`,
} as const;
