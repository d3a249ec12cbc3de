import packageJson from "agentchart/package.json" with { type: "json" };
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { interruptible } from "../on-signal.ts";
import { oneLine } from "../terminal.ts";
import { withClosing } from "../with-cleanup.ts";
import {
  runCheck,
  type Asked,
  type Check,
  type Finding,
  ok,
  wrong,
  missing,
  connectionProblem,
} from "./check.ts";
import type { doctor } from "./definitions.ts";
import { modelCheck, askModel } from "./model-check.ts";
import { packageCheck } from "./package-check.ts";
import { storeCheck } from "./store-check.ts";
import { tokenCheck } from "./token-check.ts";
import { nodeVersionProblem } from "../../core/base/node-version.ts";
import { hideSecrets, secretsOf } from "../../core/base/secrets.ts";
import { openQueue, queueSpec } from "../workers/open-backend.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWorkspace } from "../../kit/workspace/folder-workspace.ts";
import { errorMessage, asSentence } from "../error-message.ts";
import { loadAgents } from "../workers/load-agents.ts";
import { makeConfig, tryAgents } from "../../worker/make-config.ts";
import { createServer } from "node:net";

/** True for what was asked for and does not work. */
const fails = ({ state, isNeeded }: Finding): boolean =>
  isNeeded && (state === "missing" || state === "wrong");

/** `agentchart doctor`. */
export const doctorCommand: Handler<typeof doctor> = async ({ flags }, io) => {
  const { env, stdout, terminal } = io;
  const { store = "", queue = "", baseUrl = "" } = flags;
  const secrets = secretsOf([store, queue, baseUrl], env);
  const found = await runChecks({ flags, env }, io);
  for (const finding of found) {
    const text = oneLine(hideSecrets(finding.text, secrets));
    stdout.write(`${flags.json ? JSON.stringify({ ...finding, text }) : lineOf({ ...finding, text })}\n`);
  }
  const failed = found.filter(fails);
  if (!flags.json) terminal.note(closingLine(failed));
  return failed.length > 0 ? 1 : 0;
};

/** Runs all checks at once. Ctrl-C ends those that are not done; a second one ends the process. */
function runChecks(asked: Asked, io: CliIo): Promise<readonly Finding[]> {
  return interruptible(io, async (signal) => {
    const found = CHECKS.map((check) => runCheck(check, asked, asked.flags.timeLimit, signal));
    return (await Promise.all(found)).flat();
  });
}

function lineOf({ check, state, isNeeded, text }: Finding): string {
  const optional = !isNeeded && state !== "ok" ? " (optional)" : "";
  return `${state.padEnd(7)}  ${check.padEnd(8)}  ${text}${optional}`;
}

const closingLine = (failed: readonly Finding[]): string =>
  failed.length === 0
    ? "What was asked for works."
    : `Of what was asked for, this does not work: ${[...new Set(failed.map(({ check }) => check))].join(", ")}.`;

/** Finds whether this Node.js is new enough. An older one is told so before any command is loaded. */
export function nodeFinding(running: Parameters<typeof nodeVersionProblem>[0]): Finding {
  const problem = nodeVersionProblem(running);
  if (problem !== undefined) return wrong("node", problem);
  const needed = packageJson.engines.node.replace(">=", "");
  return ok("node", `${running.versions.node}; agentchart ${packageJson.version} needs ${needed} or later`);
}

const nodeCheck: Check = { name: "node", run: async () => [nodeFinding(process)] };

/** Asks the queue how many wake-ups wait in it. */
export const queueCheck: Check = {
  name: "queue",
  async run({ flags: { queue: given }, env }, signal) {
    if (given === undefined) return [];
    const spec = queueSpec(given, env);
    const queue = openQueue(spec);
    const problem = /^rediss?:/.test(spec) ? await connectionProblem(spec, signal) : undefined;
    if (problem !== undefined) return [wrong("queue", `no connection (${problem}): is Redis running there?`)];
    return withClosing(queue, async () => {
      const { waiting, active, delayed } = await queue.stats();
      const counts = `${waiting} wake-ups wait, ${active} are with workers, ${delayed} are for later`;
      return [ok("queue", given === "memory" ? "in the process of a worker" : `it answers; ${counts}`)];
    });
  },
};

/** Opens a workspace, which tries its sandbox, in an empty folder. */
export const sandboxCheck: Check = {
  name: "sandbox",
  async run({ flags: { sandbox: isNeeded } }) {
    const root = await mkdtemp(join(tmpdir(), "agentchart-doctor-"));
    try {
      await (await folderWorkspace({ root })).close();
      return [ok("sandbox", "bubblewrap makes sandboxes for commands of workspaces", isNeeded)];
    } catch (thrown) {
      return [missing("sandbox", errorMessage(thrown).replace("folderWorkspace: ", ""), isNeeded)];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

/** Makes each agent of the file as a worker does at its start, and asks their models if that is allowed. */
export const agentsCheck: Check = {
  name: "agents",
  async run({ flags: { agents: file, online, timeLimit } }, signal) {
    if (file === undefined) return [];
    const agents = await loadAgents(file);
    const failed = new Map(
      (await tryAgents(agents, timeLimit)).map(({ agent, error }) => [agent, error.message]),
    );
    const found = Object.entries(agents).map(async ([agent, make]) => {
      const problem = failed.get(agent);
      if (problem !== undefined)
        return [wrong("agents", `'${agent}' cannot be made: ${asSentence(problem)}`)];
      const made = ok("agents", `'${agent}' can be made`);
      if (!online) return [made];
      const { model } = await makeConfig(make, { sessionId: "doctor", meta: { agent } });
      return [made, await askModel(model, `that of '${agent}'`, signal)];
    });
    return (await Promise.all(found)).flat();
  },
};

/** The port of `serve` and `dev`; `inspect` takes any free one. */
const USUAL = "8790";

/** Finds whether a server of this machine may listen on a port of the loopback address. */
async function portFinding(port: number, isNeeded: boolean, signal: AbortSignal): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("listening", resolve).once("error", reject);
  server.listen({ host: "127.0.0.1", port, signal });
  try {
    await promise;
    return ok("port", `${port} is free`, isNeeded);
  } catch (thrown) {
    return wrong("port", errorMessage(thrown), isNeeded);
  } finally {
    server.close();
  }
}

export const portCheck: Check = {
  name: "port",
  run: async ({ flags: { port: ports } }, signal) =>
    Promise.all(
      (ports.length > 0 ? ports : [USUAL]).map(async (port) =>
        portFinding(Number(port), ports.length > 0, signal),
      ),
    ),
};

/** All checks, in the order of the report. */
export const CHECKS: readonly Check[] = [
  nodeCheck,
  modelCheck,
  agentsCheck,
  storeCheck,
  queueCheck,
  portCheck,
  packageCheck,
  sandboxCheck,
  tokenCheck,
];
