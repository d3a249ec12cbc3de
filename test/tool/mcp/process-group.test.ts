// What a server has started ends with it.
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcp, type McpOptions } from "agentchart/mcp";

const hostile = join(import.meta.dirname, "hostile-server.mjs");

/** A program that starts the server as its child, as npx does, and says which process that is. Neither ends by itself. */
const launcher = (ignores: string) => `
  const { spawn } = require("node:child_process");
  ${ignores}
  const child = spawn(process.execPath, ["-e", ${JSON.stringify(`${ignores} setInterval(() => {}, 1000); import(${JSON.stringify(hostile)})`)}], { stdio: "inherit" });
  console.error("pid " + child.pid);
  setInterval(() => {}, 1000);
`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function launch(ignores = "") {
  const pid = Promise.withResolvers<number>();
  const stderr = (line: string): void => {
    if (line.startsWith("pid ")) pid.resolve(Number(line.slice(4)));
  };
  const options: McpOptions = {
    name: "npx",
    command: process.execPath,
    args: ["-e", launcher(ignores)],
    stderr,
  };
  return { server: await mcp(options), grandchild: await pid.promise };
}

test("what a server has started ends with it when the connection is closed", async () => {
  const { server, grandchild } = await launch();
  expect(isRunning(grandchild)).toBe(true);
  await server.close();
  await expect.poll(() => isRunning(grandchild)).toBe(false);
});

test("a server and its children that ignore SIGTERM are killed", async () => {
  const { server, grandchild } = await launch('process.on("SIGTERM", () => {});');
  await server.close();
  await expect.poll(() => isRunning(grandchild)).toBe(false);
});
