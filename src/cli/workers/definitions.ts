// src/cli/workers holds the commands for workers and the HTTP server.
import {
  boolean,
  choice,
  defineCommand,
  integer,
  origins,
  port,
  rate,
  required,
  string,
  strings,
  withDefault,
} from "../define-command.ts";
import { maxBodyBytes, ofTenant, ofWorker } from "../option-sources.ts";
import { AGENTS_FILE, BACKEND, JSON_RESULT } from "../shared-flags.ts";

const LOG = {
  logLevel: withDefault(
    choice("LEVEL", ["debug", "info", "warn", "error", "silent"], "level of the log"),
    "info",
  ),
};

const SIGNAL_EXIT_CODES = `1    failure
2    wrong usage
130  second signal, if it is SIGINT
143  second signal, if it is SIGTERM`;

const MCP_KEY = `AGENTCHART_MCP_KEY is the secret of at least 32 characters that signs the questions to the person at the host; the
default is made once and kept in ~/.agentchart/mcp-key. Needs the package @modelcontextprotocol/server.`;

export const worker = defineCommand({
  name: "worker",
  description: "Run the sessions that have work; any number of workers may run at the same time",
  flags: {
    ...AGENTS_FILE,
    concurrency: withDefault(integer("N", "sessions at the same time", ofWorker("concurrency")), 10),
    maxPerTenant: integer(
      "N",
      "sessions of one tenant at the same time, in all workers (default: no limit)",
      ofTenant,
    ),
    rate: rate("sessions of one tenant started, in all workers (default: no limit)"),
    leaseMs: withDefault(
      integer("MS", "time until another worker takes over from a dead one", ofWorker("leaseMs")),
      10_000,
    ),
    sweepMs: withDefault(
      integer("MS", "interval of the search for lost wake-ups, 0 for none", ofWorker("sweepMs")),
      5_000,
    ),
    maxCrashes: withDefault(
      integer("N", "workers that may die with a session before it is quarantined", ofWorker("maxCrashes")),
      3,
    ),
    maxTries: withDefault(
      integer(
        "N",
        "attempts to make the agent of a session before its inputs are refused",
        ofWorker("maxTries"),
      ),
      3,
    ),
    unknownAgentMs: withDefault(
      integer("MS", "time that an input waits for a worker with its agent", ofWorker("unknownAgentMs")),
      600_000,
    ),
    storeTimeoutMs: withDefault(
      integer("MS", "time to retry a store that does not respond, 0 for none", ofWorker("storeTimeoutMs")),
      30_000,
    ),
    drainMs: withDefault(
      integer("MS", "time for sessions to reach their next commit point at the end"),
      8_000,
    ),
    healthPort: port("port of /healthz, /readyz and /metrics (Prometheus); none by default"),
    healthHost: withDefault(string("HOST", "address of the health port"), "127.0.0.1"),
    ...BACKEND,
    ...LOG,
  },
  examples: [
    "worker --agents agents.ts --concurrency 20 --rate 60/min --health-port 9100",
    "worker --agents agents.ts --store sqlite:sessions.db --queue memory",
  ],
  sections: {
    Output: `The log goes to stderr, one JSON object per line, without keys, messages and tool arguments. Each agent is made once at
the start, for a session without labels; "agent.failed" says what is wrong with one that cannot be made.
SIGTERM or SIGINT drains the worker: it takes no more sessions, and saves those that run for another worker.`,
    "Exit codes": `0    drained\n${SIGNAL_EXIT_CODES}`,
  },
});

export const serve = defineCommand({
  name: "serve",
  description: "Serve sessions over HTTP: create, continue, decide, interrupt, list, stream events",
  flags: {
    tokens: string("FILE", "file with the bearer tokens", {
      Tokens: `A JSON array of { "tenant", "scopes": ["read", "write", "decide"], "sha256" }, with the SHA-256 of a token in
hexadecimal, or the token itself as "token". The variable AGENTCHART_TOKENS may contain it instead.`,
    }),
    insecureNoAuth: boolean("allow every request from this machine, and no other"),
    agents: string("FILE", "file that exports agents; their sessions then run in this process, too"),
    mcp: boolean("serve the agents of --agents as tools of an MCP server at /mcp"),
    memory: string(
      "STORE",
      "serve these memories at /v1/memories: sqlite:PATH or postgres://USER@HOST/DATABASE",
    ),
    webhooks: string("FILE", "file that exports the webhooks, each of which is served at /webhooks/NAME", {
      Webhooks: `A .ts or .js file that exports { name: { secrets, agent, input } }, by default or as "webhooks".`,
    }),
    agent: strings("NAME", "agent that a session may start with (default: those of --agents, or any)"),
    origin: origins("origin whose pages may use the server, such as https://app.example.com"),
    host: withDefault(string("HOST", "address to listen on"), "127.0.0.1"),
    port: withDefault(port("port to listen on"), 8790),
    maxBody: withDefault(integer("BYTES", "maximum size of a request body", maxBodyBytes), 1_048_576),
    rate: rate("requests per token (default: 50/s, with bursts of 100)"),
    ...BACKEND,
    ...LOG,
  },
  examples: [
    "serve --tokens tokens.json",
    "serve --agents agents.ts --insecure-no-auth --store sqlite:sessions.db --queue memory",
  ],
  sections: {
    Output: `The log goes to stderr, one JSON object per line, without tokens and messages.
GET /openapi.json describes the routes.`,
    MCP: MCP_KEY,
    "Exit codes": `0    ended by SIGTERM or SIGINT\n${SIGNAL_EXIT_CODES}`,
  },
});

export const mcp = defineCommand({
  name: "mcp",
  description: "Serve agents as tools of an MCP server over stdio, for a host that starts this command",
  flags: {
    agents: required(string("FILE", "file that exports agents, and what they do as `descriptions`")),
    ...BACKEND,
    ...LOG,
  },
  examples: ["mcp --agents agents.ts --store file:sessions --queue memory"],
  sections: {
    Output: `stdout is for the host. The log goes to stderr, one JSON object per line.
An open call is a question to the person at the host; the model of the host cannot answer it.`,
    MCP: MCP_KEY,
    "Exit codes": `0    the host has closed stdin, or SIGTERM or SIGINT\n${SIGNAL_EXIT_CODES}`,
  },
});

export const listDeadLetters = defineCommand({
  name: "dead-letters ls",
  description: "List the quarantined sessions as a table, or as JSON lines outside a terminal",
  flags: {
    tenant: string("NAME", "only sessions of this tenant"),
    limit: integer("N", "maximum number of sessions (default: all)"),
    ...BACKEND,
    ...JSON_RESULT,
  },
  examples: ["dead-letters ls --tenant acme"],
});

export const retryDeadLetters = defineCommand({
  name: "dead-letters retry",
  description: "End the quarantine of sessions and wake them",
  args: { ids: strings("id", "ids of the sessions") },
  flags: {
    all: boolean("retry every quarantined session"),
    tenant: string("NAME", "with --all: only sessions of this tenant"),
    ...BACKEND,
    ...JSON_RESULT,
  },
  examples: ["dead-letters retry acme/ticket-18", "dead-letters retry --all --tenant acme"],
});
