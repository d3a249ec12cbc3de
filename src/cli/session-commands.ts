import { AgentError } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import { flagName } from "./cli-command.ts";
import type { CliIo } from "./cli-io.ts";
import type { Parameter, Values } from "./define-command.ts";
import { asSentence } from "./error-message.ts";
import type { SessionStore } from "../store/port.ts";
import { withExistingStore } from "./open-store.ts";
import { AGENT, STORE } from "./shared-flags.ts";
import { shellFlag, shellQuote } from "./shell-quote.ts";

/** The flags that the next command for the same session needs again. */
const REPEATED: { readonly [key: string]: Parameter<unknown> } = { ...STORE, ...AGENT };

/** A stored session and the flags with which the current command found it. */
export type SessionTarget = {
  readonly sessionId: string;
  readonly flags: Partial<Values<typeof STORE & typeof AGENT>>;
};

/** The command line of a command for a session, such as "sessions resume", quoted for a shell and without passwords. */
export function sessionCommand(
  command: string,
  { sessionId, flags }: SessionTarget,
  more: readonly string[] = [],
): string {
  const id = shellQuote(sessionId);
  const [before, after] = sessionId.startsWith("-") ? [[], ["--", id]] : [[id], []];
  return ["agentchart", command, ...before, ...more, ...repeatedFlags(flags), ...after].join(" ");
}

/** The command line that asks the next question of a session. */
export function askCommand({ sessionId, flags }: SessionTarget): string {
  return ["agentchart run QUESTION", shellFlag("--session", sessionId), ...repeatedFlags(flags)].join(" ");
}

function repeatedFlags(flags: { readonly [key: string]: unknown }): string[] {
  return Object.entries(REPEATED).flatMap(([key, { default: fallback }]) =>
    [flags[key]]
      .flat()
      .filter((value) => value !== undefined && value !== fallback)
      .map((value) => shellFlag(flagName(key), hideSecrets(String(value)))),
  );
}

/** Does work with the session of `--store`, which must exist, as {@link explainSessionErrors} does. */
export const withSession = <T>(
  target: SessionTarget,
  work: (store: SessionStore) => Promise<T>,
): Promise<T> =>
  withExistingStore(target.flags.store, (store) => explainSessionErrors(target, () => work(store)));

/** Does work with a session. An error of the session itself then says which command helps. */
export async function explainSessionErrors<T>(target: SessionTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw AgentError.is(error) ? explained(error, target) : error;
  }
}

/** Does work with one of many sessions. One that cannot be read is told, and left out: it resolves to undefined. */
export async function unlessUnreadable<T>(
  sessionId: string,
  { terminal }: Pick<CliIo, "terminal">,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!AgentError.is(error) || !error.code.startsWith("session/")) throw error;
    terminal.note(`${sessionId} is left out: ${asSentence(error.message)}`);
    return undefined;
  }
}

function explained(error: AgentError, { sessionId, flags }: SessionTarget): AgentError {
  const { code, message, data } = error;
  const withMessage = (text: string): AgentError => new AgentError(code, text, { cause: error, data });
  const stored = { sessionId, flags: { store: flags.store } };
  switch (code) {
    case "session/version":
    case "session/damaged": {
      if (data["code"] === "NOTADB") return withMessage(`${message} Check --store.`);
      const exportIt = sessionCommand("sessions export", stored, ["--out FILE"]);
      if (data["quarantined"] === true) {
        const retry = sessionCommand("dead-letters retry", stored);
        return withMessage(
          `${asSentence(message)} End the quarantine with "${retry}", or export the session with "${exportIt}".`,
        );
      }
      return withMessage(
        `The session is quarantined and does not run: ${asSentence(message)} Export it with "${exportIt}".`,
      );
    }
    case "session/lease-lost":
      return withMessage(`Another process has taken over the session: ${message}`);
    default:
      return error;
  }
}
