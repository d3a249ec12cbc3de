#!/usr/bin/env node
// src/cli implements the command `agentchart`.
import { nodeVersionProblem } from "../core/base/node-version.ts";

// Nothing else is imported statically: a Node that is too old to load it must still print this line.
const problem = nodeVersionProblem(process);
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  const { runCli } = await import("./run-cli.ts");
  const { endProcess } = await import("./end-process.ts");
  const exitCode = await runCli(process.argv.slice(2));
  // The event loop may never be empty: a tools file may keep a connection open.
  endProcess(exitCode);
}
