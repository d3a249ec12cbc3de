import { AgentError } from "../base/error.ts";

/** Codes of errors that may not occur when the operation is repeated. */
const TRANSIENT = new Set(["EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE"]);

const REASONS: { readonly [code: string]: string } = {
  EACCES: ": access is denied",
  EEXIST: ": a file is where the folder should be",
  ENOSPC: ": the disk is full",
  ENOTDIR: ": a file is where the folder should be",
  EROFS: ": it is read-only",
};

function fileError(thrown: unknown, operation: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const found = (thrown as { code?: unknown } | null)?.code;
  const code = typeof found === "string" ? found : undefined;
  return new AgentError(
    "store/failed",
    `The session folder: could not ${operation}${code ? ` (${code}${REASONS[code] ?? ""})` : ""}.`,
    {
      cause: thrown,
      isRetryable: code !== undefined && TRANSIENT.has(code),
      ...(code !== undefined && { data: { code } }),
    },
  );
}

/** Settles as `work` does, and rejects with an AgentError. `operation` completes "could not …" in its message. */
export async function withStoreErrors<T>(operation: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw fileError(error, operation);
  }
}
