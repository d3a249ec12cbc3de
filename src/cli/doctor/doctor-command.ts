import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { interruptible } from "../interruptible.ts";
import { redact, secretsOf } from "../secrets.ts";
import { oneLine } from "../terminal.ts";
import { agentsCheck } from "./agents-check.ts";
import { runCheck, type Asked, type Check, type Finding } from "./check.ts";
import type { doctor } from "./definitions.ts";
import { modelCheck } from "./model-check.ts";
import { nodeCheck } from "./node-check.ts";
import { packageCheck } from "./package-check.ts";
import { portCheck } from "./port-check.ts";
import { queueCheck } from "./queue-check.ts";
import { sandboxCheck } from "./sandbox-check.ts";
import { storeCheck } from "./store-check.ts";
import { tokenCheck } from "./token-check.ts";

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

/** True for what was asked for and does not work. */
const fails = ({ state, isNeeded }: Finding): boolean =>
  isNeeded && (state === "missing" || state === "wrong");

/** `agentchart doctor`. */
export const doctorCommand: Handler<typeof doctor> = async ({ flags }, io) => {
  const { env, stdout, terminal } = io;
  const secrets = secretsOf(
    env,
    [flags.store, flags.queue, flags.baseUrl].filter((text) => text !== undefined),
  );
  const found = await runChecks({ flags, env }, io);
  for (const finding of found) {
    const text = oneLine(redact(finding.text, secrets));
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
