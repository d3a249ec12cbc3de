const BACKEND = `  --store STORE          postgres://USER@HOST/DATABASE, sqlite:PATH or file:DIR; "postgres", and what it is
                         unless given, is the database of DATABASE_URL
  --queue QUEUE          redis://HOST, postgres://USER@HOST/DATABASE, or memory: then workers find what is to do by
                         looking for it now and then; "redis" is that of REDIS_URL, "postgres" that of DATABASE_URL; a store
                         on Postgres is the queue too unless given
`;

const LOG = `  --log-level LEVEL      debug, info, warn, error or silent; info unless given
`;

const COMMON = `  --debug                print the stack of an error
  -h, --help             print this
`;

const ENVIRONMENT = `Environment
  DATABASE_URL, REDIS_URL   connection strings, which need not stand on the command line then
`;

const EXIT_CODES = `Exit codes
  0     done
  1     failed
  2     the command line is wrong
`;

/** What `--help` prints for workers, their server and their dead letters. */
export const WORKER_HELP = {
  worker: `Drives sessions: takes those that have something to do, until they are at rest. Run as many as you like.

Usage
  agentchart worker --agents FILE [flags]

Flags
  --agents FILE          a .ts or .js file that exports { name: (session) => configuration } by default or as "agents"
  --concurrency N        sessions at once; 10 unless given
  --max-per-tenant N     sessions of one tenant at once, in all workers; all unless given
  --rate N/s|min|h       sessions of one tenant begun, in all workers, such as 60/min; all unless given
  --lease-ms N           how long a session stays taken after the death of its worker; 10000 unless given
  --sweep-ms N           how often sessions whose wake-up got lost are looked for; 5000 unless given
  --max-crashes N        workers that may die with a session before it is quarantined; 3 unless given
  --patience-ms N        how long a store that does not answer is waited for; 30000 unless given
  --drain-ms N           how long sessions may take to their next commit point when the worker is told to end;
                         8000 unless given
  --health-port PORT     serve /healthz, /readyz and /metrics (Prometheus) there, 0 for any free port
  --health-host HOST     127.0.0.1 unless given
${BACKEND}${LOG}${COMMON}
${ENVIRONMENT}
Output
  The log goes to stderr, one JSON object a line, without keys, messages and arguments.
  SIGTERM and SIGINT drain: no more sessions are taken, those that run are saved and go on in another worker.

Exit codes
  0     drained
  1     failed, or the drain did not end
  2     the command line is wrong
  130   a second signal, if that is SIGINT; 143 if it is SIGTERM
`,
  serve: `Serves sessions over HTTP: begin and continue them, follow their events, decide, interrupt, list. Workers in other
processes drive them.

Usage
  agentchart serve --tokens FILE [flags]

Flags
  --tokens FILE          who may ask: a JSON list of { "tenant", "scopes": ["read", "write", "decide"], "sha256" }, with
                         the SHA-256 of each bearer token in hexadecimal, or the token itself as "token"
  --insecure-no-auth     everybody on this machine may do everything, and nobody else anything
  --agent NAME           an agent that sessions may begin with, one of the workers'; may be given again; any unless given
  --host HOST            127.0.0.1 unless given
  --port PORT            8790 unless given, 0 for any free port
  --max-body BYTES       of a request; 1048576 unless given
  --rate N/s|min|h       requests of one token; 50/s, and 100 at once, unless given
${BACKEND}${LOG}${COMMON}
${ENVIRONMENT}  AGENTCHART_TOKENS         what stands in the file of --tokens

Output
  The log goes to stderr, one JSON object a line, without tokens and messages. GET /openapi.json describes the routes.

Exit codes
  0     told to end by SIGTERM or SIGINT
  1     failed
  2     the command line is wrong
  130   a second signal, if that is SIGINT; 143 if it is SIGTERM
`,
  dead: `Looks after sessions that workers have given up: too many of them died with them.

Usage
  agentchart dead ls                  list them, and why
  agentchart dead retry <id>…         have workers go on with them
  agentchart dead <command> --help    explain a command

Flags
  --debug      print the stack of an error
  -h, --help   print this
`,
  "dead ls": `Lists the sessions that are quarantined, in the order of their ids: a table in a terminal, else one JSON object
a line.

Usage
  agentchart dead ls [flags]

Flags
  --tenant NAME          only those of one tenant
  --limit N              at most so many; all unless given
${BACKEND}${COMMON}
${ENVIRONMENT}
${EXIT_CODES}`,
  "dead retry": `Ends the quarantine of sessions and wakes them.

Usage
  agentchart dead retry <id>… [flags]
  agentchart dead retry --all [flags]

Flags
  --all                  all of them
  --tenant NAME          with --all: those of one tenant
${BACKEND}${COMMON}
${ENVIRONMENT}
${EXIT_CODES}`,
} as const;
