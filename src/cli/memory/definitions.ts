// src/cli/memory holds the commands for long-term memory.
import { boolean, defineCommand, required, string, strings } from "../define-command.ts";
import { JSON_RESULT } from "../shared-flags.ts";

const SCOPE = required(string("scope", "whose memory, as the agent's `scope` returns it, such as acme/ada"));
const MEMORY = {
  memory: required(string("STORE", "where the memories are: sqlite:PATH or postgres://USER@HOST/DATABASE")),
};

export const list = defineCommand({
  name: "memory ls",
  description: "List the memories of a scope, newest first, as a table, or as JSON lines outside a terminal",
  args: { scope: SCOPE },
  flags: { ...MEMORY, ...JSON_RESULT },
  examples: [
    "memory ls acme/ada --memory sqlite:memory.db",
    "memory ls acme/ada --memory sqlite:memory.db --json > ada.ndjson",
  ],
});

export const show = defineCommand({
  name: "memory show",
  description: "Print a memory with the session it comes from",
  args: { scope: SCOPE, id: required(string("id", 'id of the memory, which "memory ls" prints')) },
  flags: { ...MEMORY, ...JSON_RESULT },
  examples: ["memory show acme/ada 3q2-7wQ1bX9aLk0f --memory sqlite:memory.db"],
});

export const exportMemories = defineCommand({
  name: "memory export",
  description: "Print the memories of a scope as JSON lines, newest first",
  args: { scope: SCOPE },
  flags: MEMORY,
  examples: ["memory export acme/ada --memory sqlite:memory.db > ada.ndjson"],
});

export const importMemories = defineCommand({
  name: "memory import",
  description: "Add memories that were exported to a scope; texts that it has already are kept once",
  args: {
    scope: SCOPE,
    file: required(string("file", 'JSON lines that "memory export" printed, or - for the input')),
  },
  flags: { ...MEMORY, ...JSON_RESULT },
  examples: ["memory import acme/ada ada.ndjson --memory sqlite:memory.db"],
});

export const remove = defineCommand({
  name: "memory rm",
  description: "Delete memories of a scope permanently",
  args: { scope: SCOPE },
  flags: {
    id: strings("ID", "delete this memory"),
    all: boolean("delete all memories of the scope"),
    ...MEMORY,
    ...JSON_RESULT,
  },
  examples: [
    "memory rm acme/ada --id 3q2-7wQ1bX9aLk0f --memory sqlite:memory.db",
    "memory rm acme/ada --all --memory sqlite:memory.db",
  ],
});
