import { AgentError } from "../core/base/error.ts";

/** Codes of errors that may not occur when the operation is repeated. */
const TRANSIENT = new Set(["EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE"]);

const REASONS: { readonly [code: string]: string } = {
  EACCES: ": access is denied",
  EEXIST: ": a file is where the folder should be",
  ENOSPC: ": the disk is full",
  ENOTDIR: ": a file is where the folder should be",
  EROFS: ": it is read-only",
};

/** Returns an error of the file system as an AgentError. `operation` completes "could not …" in its message. */
export function fileError(thrown: unknown, operation: string): AgentError {
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

/** True if an error says that there is no such file, also because a file or a broken link is in the path. */
export function isMissing(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

/** Resolves as `read` does; to undefined if there is no such file or folder. */
export async function ifExists<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
