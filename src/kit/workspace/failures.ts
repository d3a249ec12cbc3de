import { AgentError, messageOf } from "../../core/base/error.ts";
import { shownText } from "./shown-text.ts";

const named = (path: string): string => (path === "" ? "The root of the workspace" : `'${shownText(path)}'`);

/** Returns the error of a path that a workspace does not open. */
export function badPath(path: string, problem: string): AgentError {
  return new AgentError("workspace/bad-path", `${named(path)} ${problem}.`);
}

/** Returns the error of a path at which nothing is. */
export function notFound(path: string): AgentError {
  return new AgentError("workspace/not-found", `${named(path)} is not in the workspace.`);
}

/** Returns the error of a write to a protected path. */
export function isProtectedPath(path: string): AgentError {
  return new AgentError("workspace/protected", `${named(path)} is protected: it is not written here.`);
}

/** Returns the error of a write to a file whose content is not the expected one. */
export function hasChanged(path: string): AgentError {
  return new AgentError("workspace/changed", `${named(path)} has changed since it was read; read it again.`);
}

/** Returns the error of a workspace whose root is not there any more. */
export function isGone(root: string): AgentError {
  return new AgentError(
    "workspace/gone",
    `The workspace '${shownText(root)}' is gone: its folder is not there any more, or is another one.`,
  );
}

/** Returns the error of a workspace that was closed. */
export function isClosed(root: string): AgentError {
  return new AgentError("workspace/gone", `The workspace '${shownText(root)}' is closed.`);
}

const PROBLEMS: { readonly [code: string]: string } = {
  ENAMETOOLONG: "has a name that is too long",
  EISDIR: "is a directory, and not a file",
  ENOTDIR: "goes through something that is not a directory",
  ENOTEMPTY: "is a directory that is not empty",
  EACCES: "may not be opened by this user",
  EPERM: "may not be changed by this user",
  EROFS: "is on a file system that is read-only",
  EBUSY: "is in use, as a mount is",
  ENXIO: "is not a file",
};

/** Returns the error of the file system as one of the workspace. */
export function failureOf(path: string, thrown: unknown): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "";
  if (code === "ENOENT") return notFound(path);
  const problem = PROBLEMS[code];
  if (problem !== undefined) return badPath(path, problem);
  return new AgentError("workspace/failed", `${named(path)} cannot be used: ${messageOf(thrown)}.`, {
    cause: thrown,
  });
}
