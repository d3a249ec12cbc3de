import { AgentError, errorFrom } from "../base/error.ts";

type Site = { readonly stack?: string };

/**
 * Turns what an async function throws next into the error of those who await it: the same error with their frames as its stack, and
 * what was thrown as its cause. Costs nothing if nothing fails; so, as with the promises of Node itself, functions that return the
 * promise and do not await it have no frame.
 */
export function errorOfWaiter(thrown: unknown): unknown {
  if (!AgentError.is(thrown)) return thrown;
  const site: Site = {};
  Error.captureStackTrace(site, errorOfWaiter);
  return errorAt(site, thrown);
}

/**
 * Remembers where `method` is called. Returns a function that turns what it fails with later, in another tick, into the error of its
 * caller, as {@link errorOfWaiter} does. For a promise that has a handler of its own: V8 finds who awaits one only if nobody else waits.
 */
export function callerOf(method: Function): (thrown: unknown) => unknown {
  const site: Site = {};
  Error.captureStackTrace(site, method);
  return (thrown) => (AgentError.is(thrown) ? errorAt(site, thrown) : thrown);
}

function errorAt(site: Site, thrown: AgentError): AgentError {
  const error = errorFrom(thrown.toJSON(), thrown);
  const [, ...frames] = site.stack?.split("\n") ?? [];
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}
