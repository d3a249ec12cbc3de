import { AgentError, errorFrom } from "../base/error.ts";

/**
 * Remembers where `method` is called. Returns a function that turns what a call fails with later, in another tick, into the error of
 * its caller: the same error with the frames of the caller as its stack, and with what was thrown as its cause.
 */
export function callerOf(method: Function): (thrown: unknown) => unknown {
  const site: { readonly stack?: string } = {};
  Error.captureStackTrace(site, method);
  return (thrown) => {
    if (!AgentError.is(thrown)) return thrown;
    const error = errorFrom(thrown.toJSON(), thrown);
    const [, ...frames] = site.stack?.split("\n") ?? [];
    error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
    return error;
  };
}
