import { pino, type Logger } from "pino";
import type { ErrorInfo } from "../../core/base/error.ts";
import { hideSecrets, secretsOf } from "../../core/base/secrets.ts";
import type { Environment } from "../terminal.ts";

/** A log with one JSON object per line on stderr, without keys and passwords. */
export type Log = {
  write(level: "debug" | "info" | "warn" | "error", event: string, fields: object): void;
  /** The error without secrets. */
  error(error: ErrorInfo): { readonly code: string; readonly message: string };
};

type LogFlags = {
  readonly logLevel: string;
  readonly store: string | undefined;
  readonly queue: string | undefined;
};

export function openLog({ logLevel, store = "", queue = "" }: LogFlags, env: Environment): Log {
  const secrets = secretsOf([store, queue], env);
  const logger: Logger = pino(
    { level: logLevel, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: process.stderr.fd, sync: true }),
  );
  return {
    write: (level, event, fields) => logger[level](fields, event),
    error: ({ code, message }) => ({ code, message: hideSecrets(message, secrets) }),
  };
}
