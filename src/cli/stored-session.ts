import { AgentError } from "../base/error.ts";
import { sentence } from "./failure-text.ts";
import { withoutPassword } from "./open-store.ts";
import type { GivenFlags } from "./read-flags.ts";
import { shellFlag, shellWord } from "./shell-words.ts";

/** A stored session, and the flags that led to it. */
export type SessionLine = { readonly sessionId: string; readonly flags: GivenFlags };

/** What an agent must be told again by every process. */
const REPEATED = ["store", "tools", "model", "base-url", "system", "max-iters"];

/** The command line that does something with a session: as it must be typed, but without passwords. */
export function sessionCommand(
  command: string,
  { sessionId, flags }: SessionLine,
  more: readonly string[] = [],
  repeated: readonly string[] = REPEATED,
): string {
  const [before, after] = sessionId.startsWith("-")
    ? [[], ["--", shellWord(sessionId)]]
    : [[shellWord(sessionId)], []];
  const program = command.startsWith("dead ") ? "agentchart" : "agentchart sessions";
  return [program, command, ...before, ...more, ...again(flags, repeated), ...after].join(" ");
}

/** The command line that asks a session the next question. */
export function askCommand({ sessionId, flags }: SessionLine): string {
  return ["agentchart run QUESTION", shellFlag("session", sessionId), ...again(flags, REPEATED)].join(" ");
}

function again(flags: GivenFlags, names: readonly string[]): string[] {
  return names.flatMap((name) => flags.texts(name).map((value) => shellFlag(name, withoutPassword(value))));
}

/** Does something with a session; what goes wrong with the session itself is explained. */
export async function aboutSession<T>(session: SessionLine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw AgentError.is(error) ? explained(error, session) : error;
  }
}

function explained(error: AgentError, session: SessionLine): AgentError {
  const { code, message, data } = error;
  const saying = (text: string): AgentError => new AgentError(code, text, { cause: error, data });
  switch (code) {
    case "session/version":
    case "session/damaged": {
      if (data["code"] === "NOTADB") return saying(`${message} Check --store.`);
      const command = sessionCommand("export", session, ["--out FILE"], ["store"]);
      if (data["quarantined"] === true) {
        const retry = sessionCommand("dead retry", session, [], ["store"]);
        return saying(`${sentence(message)} End that with "${retry}", or take it out with "${command}".`);
      }
      return saying(
        `The session is quarantined, nothing of it runs: ${sentence(message)} Take it out with "${command}".`,
      );
    }
    case "session/lease-lost":
      return saying(`Another process has taken the session over: ${message}`);
    default:
      return error;
  }
}
