// src/cli/doctor holds the command that says what is missing for what a user wants to run, and how to get it.
import { InvalidArgumentError } from "commander";
import {
  boolean,
  defineCommand,
  duration,
  string,
  strings,
  withDefault,
  type Parameter,
} from "../define-command.ts";
import { AGENT, BACKEND } from "../shared-flags.ts";

const ports = (description: string): Parameter<readonly string[]> => {
  const parse = (text: string): string => {
    if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535)
      throw new InvalidArgumentError("It must be a port from 1 to 65535.");
    return text;
  };
  return { ...strings("PORT", description), parse };
};

export const doctor = defineCommand({
  name: "doctor",
  description: "Check what agents need on this machine, and say how to get what is missing",
  flags: {
    agents: string("FILE", "make each agent of this file, instead of looking for the model of `run`"),
    model: AGENT.model,
    baseUrl: AGENT.baseUrl,
    online: boolean("ask the models for one word, which costs a few tokens"),
    store: string(
      "STORE",
      "store of the sessions (default: postgres, if DATABASE_URL is set, or else file:~/.agentchart/sessions)",
      BACKEND.store.sections,
    ),
    queue: string(
      "QUEUE",
      "queue of the wake-ups: redis://HOST, postgres://USER@HOST/DATABASE, redis or postgres",
    ),
    port: ports("port that must be free (8790 is looked at without it)"),
    sandbox: boolean("commands of workspaces must run in a sandbox"),
    timeLimit: withDefault(duration("TIME", "longest time of one check"), 20_000),
    json: boolean("print one JSON object per line: { check, state, isNeeded, text }"),
  },
  examples: [
    "doctor",
    "doctor --agents agents.ts --online",
    "doctor --store postgres --queue redis://localhost:6379 --port 9100",
  ],
  sections: {
    Checks: `node      this Node.js
model     a key is set, and the server takes a connection; with --online it is asked
agents    each agent of --agents can be made; with --online its model is asked
store     it opens, takes a write and is not of another release; what is not there yet is not made
sessions  none is quarantined or damaged, and none has stopped in the middle of a turn without a process
clock     it agrees with that of the store
queue     it answers; a queue on Postgres makes its tables
port      nothing listens there
package   each optional package that is installed has a version that is known to work
sandbox   bubblewrap makes a sandbox for commands
tokens    no other user of this machine can read the tokens of the inspector and of dev`,
    Output: `One line for each check: ok, missing, wrong or unasked, and what to do. Keys are never printed, and without --online no request
is sent to a model. What nobody has asked for is marked "optional".`,
    "Exit codes": `0    what was asked for works
1    something that was asked for is missing or wrong
2    wrong usage`,
  },
});
