#!/usr/bin/env node
// src/cli implements the command `agentchart`.

// No static imports: on a Node that is too old for them, this line must still come out.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `agentchart runs on Node >= 22.18, but this is ${process.version} (${process.execPath}). Install Node 24.\n`,
  );
  process.exitCode = 1;
} else {
  const { runCli } = await import("./run-cli.ts");
  const exitCode = await runCli(process.argv.slice(2));
  // Not left to an empty event loop: a tools file may hold a connection open.
  process.exit(exitCode);
}
