import { setTimeout as sleep } from "node:timers/promises";
import { delayOf } from "../../core/base/time.ts";
import type { Values } from "../define-command.ts";
import { errorMessage } from "../error-message.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import type { doctor } from "./definitions.ts";
import { connect } from "node:net";
import { messageOf } from "../../core/base/error.ts";

/** The result of a check. `unasked`: it cannot be known without something that the user has not allowed. */
export type State = "ok" | "missing" | "wrong" | "unasked";

/** One line of the report. */
export type Finding = {
  readonly check: string;
  readonly state: State;
  /** True if the user asked for something that needs it: the command then fails unless it is `ok` or `unasked`. */
  readonly isNeeded: boolean;
  /** The thing that was found, and what to do about it. */
  readonly text: string;
};

/** The wishes of the user, and where they come from. */
export type Asked = { readonly flags: Values<typeof doctor.flags>; readonly env: Environment };

/** Something to look at. It gives up when the signal aborts. */
export type Check = {
  readonly name: string;
  run(asked: Asked, signal: AbortSignal): Promise<readonly Finding[]>;
};

type Of = (check: string, text: string, isNeeded?: boolean) => Finding;

const of =
  (state: State): Of =>
  (check, text, isNeeded = true) => ({ check, state, isNeeded, text });

export const ok = of("ok");
export const missing = of("missing");
export const wrong = of("wrong");
export const unasked = of("unasked");

/** Runs a check, for at most `limitMs`. An error of it is a finding; only wrong usage rejects. */
export async function runCheck(
  { name, run }: Check,
  asked: Asked,
  limitMs: number,
  stop: AbortSignal,
): Promise<readonly Finding[]> {
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const late = sleep(delayOf(limitMs), undefined, { signal }).then(
    () => [wrong(name, `no answer within ${limitMs / 1_000} s (--time-limit)`)],
    () => [wrong(name, "was interrupted")],
  );
  try {
    return await Promise.race([run(asked, signal), late]);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    return [wrong(name, errorMessage(thrown))];
  } finally {
    over.abort();
  }
}

const PORTS: { readonly [protocol: string]: number } = {
  "https:": 443,
  "http:": 80,
  "redis:": 6379,
  "rediss:": 6379,
};

/** Returns why the server of a URL takes no connection; undefined if it takes one, which is closed at once. */
export async function connectionProblem(url: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const host = hostname.replaceAll(/[[\]]/g, "");
  const socket = connect({ host, port: Number(port) || (PORTS[protocol] ?? 0), signal });
  socket.once("connect", resolve).once("error", reject);
  try {
    await promise;
    return undefined;
  } catch (thrown) {
    return messageOf(thrown) || String((thrown as NodeJS.ErrnoException).code);
  } finally {
    socket.destroy();
  }
}
