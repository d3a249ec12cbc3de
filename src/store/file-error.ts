import { AgentError } from "../base/error.ts";

/** What goes wrong for a while only. */
const TRANSIENT = new Set(["EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE"]);

const REASONS: { readonly [code: string]: string } = {
  EACCES: ": access is denied",
  EEXIST: ": a file is where the folder should be",
  ENOSPC: ": the disk is full",
  ENOTDIR: ": a file is where the folder should be",
  EROFS: ": it is read-only",
};

function fileError(thrown: unknown, doing: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const found = (thrown as { code?: unknown } | null)?.code;
  const code = typeof found === "string" ? found : undefined;
  return new AgentError(
    "store/failed",
    `The session folder: could not ${doing}${code ? ` (${code}${REASONS[code] ?? ""})` : ""}.`,
    {
      cause: thrown,
      isRetryable: code !== undefined && TRANSIENT.has(code),
      ...(code !== undefined && { data: { code } }),
    },
  );
}

/** What `work` gives; whatever it throws becomes an AgentError. */
export async function withStoreErrors<T>(doing: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, doing);
  }
}

/** As {@link withStoreErrors}, for what comes one by one. */
export async function* withStoreErrorsEach<T>(doing: string, items: () => Iterable<T>): AsyncGenerator<T> {
  try {
    yield* items();
  } catch (error) {
    throw fileError(error, doing);
  }
}
