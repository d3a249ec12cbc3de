// src/cli/dev holds the command that runs the agents of a file with a chat page while they are written.
import { defineCommand, integer, port, string, strings, withDefault } from "../define-command.ts";
import { AGENTS_FILE, STORES } from "../shared-flags.ts";

export const dev = defineCommand({
  name: "dev",
  description: "Chat with the agents of a file in a page, inspect them, and load them again when it changes",
  flags: {
    ...AGENTS_FILE,
    store: string("STORE", "store of the sessions (default: sqlite:.agentchart/dev.db)", { Stores: STORES }),
    watch: strings("FILE", "another file whose change loads the agents again, such as a prompt"),
    host: withDefault(
      string("ADDRESS", "address to listen on; other machines can use the links on any other"),
      "127.0.0.1",
    ),
    port: withDefault(port("port of the chat page and the API"), 8790),
    inspectPort: withDefault(port("port of the inspector"), 0),
    drainMs: withDefault(
      integer("MS", "time for turns to reach their next commit point at a change and at the end"),
      8_000,
    ),
  },
  examples: ["dev --agents agents.ts", "dev --agents agents.ts --watch prompt.md --port 3000"],
  sections: {
    Changes: `When the file changes, or one that it imports, the agents are loaded again: a turn that runs goes on with the new ones
after its next step, and what waits for a decision waits on. If they cannot be loaded, those before them go on.`,
    Output: `The links go to stdout, everything else to stderr. The token in the links is kept in .agentchart/token; the API takes it
as a bearer token. Ctrl-C or SIGTERM lets turns reach their next step and saves them; a second one ends at once.`,
  },
});
