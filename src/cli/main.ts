#!/usr/bin/env node
// src/cli implements the command `agentchart`.

// No static imports: a Node that is too old to load them must still print this line.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `agentchart runs on Node >= 22.18, but this is ${process.version} (${process.execPath}). Install Node 24.\n`,
  );
  process.exitCode = 1;
} else {
  const { runCli } = await import("./run-cli.ts");
  const exitCode = await runCli(process.argv.slice(2));
  // The event loop may never be empty: a tools file may keep a connection open.
  process.exit(exitCode);
}
