import { AgentError, errorFrom } from "../base/error.ts";

type Site = { readonly stack?: string };

/**
 * Remembers where `method` is called. Returns a function that turns what a call fails with later, in another tick, into the error of
 * its caller: the same error with the frames of the caller as its stack, and with what was thrown as its cause.
 */
export function callerOf(method: Function): (thrown: unknown) => unknown {
  const site: Site = {};
  Error.captureStackTrace(site, method);
  return (thrown) => (AgentError.is(thrown) ? errorAt(site, thrown) : thrown);
}

/** Turns what an async function throws next into the error of those who await it: the same error with their frames as its stack, and
 *  what was thrown as its cause. Unlike {@link callerOf} it costs nothing if nothing fails. */
export function errorOfWaiter(thrown: unknown): unknown {
  if (!AgentError.is(thrown)) return thrown;
  const site: Site = {};
  Error.captureStackTrace(site, errorOfWaiter);
  return errorAt(site, thrown);
}

function errorAt(site: Site, thrown: AgentError): AgentError {
  const error = errorFrom(thrown.toJSON(), thrown);
  const [, ...frames] = site.stack?.split("\n") ?? [];
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}
