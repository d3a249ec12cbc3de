import type { ModelRequest } from "agentchart";
import type { Said } from "./model.ts";

const SCRIPT: readonly Said[] = [
  { tool: "read_file", input: { path: "sum.mjs" } },
  { tool: "edit_file", input: { path: "sum.mjs", old_string: "all - each", new_string: "all + each" } },
  { tool: "run_command", input: { command: "node --test" } },
  "That was my script. A model would say what it has seen.",
];

/** The next step of the stand-in, which mends the playground. */
export const nextOf = ({ messages }: ModelRequest): Said =>
  SCRIPT[messages.filter(({ role }) => role === "assistant").length] ?? SCRIPT.at(-1)!;
