import { pino, type Logger } from "pino";
import type { ErrorInfo } from "../../base/error.ts";
import { nearestName } from "../../base/nearest-name.ts";
import type { GivenFlags } from "../read-flags.ts";
import { secretsOf, withoutSecrets } from "../secrets.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"];

/** A log of one JSON object a line on stderr, without keys and passwords. */
export type Log = {
  write(level: "debug" | "info" | "warn" | "error", event: string, fields: object): void;
  /** An error as the log shows it. */
  error(error: ErrorInfo): { readonly code: string; readonly message: string };
};

/** Throws a {@link UsageError} for a level that there is not. */
export function openLog(flags: GivenFlags, env: Environment): Log {
  const level = flags.text("log-level") ?? "info";
  if (!LEVELS.includes(level)) {
    const near = nearestName(level, LEVELS);
    const instead = near ? `Did you mean "${near}"?` : `There are ${LEVELS.join(", ")}.`;
    throw new UsageError(`There is no log level "${level}". ${instead}`);
  }
  const secrets = secretsOf(env, [...flags.texts("store"), ...flags.texts("queue")]);
  const logger: Logger = pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: process.stderr.fd, sync: true }),
  );
  return {
    write: (level, event, fields) => logger[level](fields, event),
    error: ({ code, message }) => ({ code, message: withoutSecrets(message, secrets) }),
  };
}
