type Builtins = {
  readonly "node:async_hooks": typeof import("node:async_hooks");
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:sqlite": typeof import("node:sqlite");
};

/** The process of Node.js; undefined where there is none, as in a browser. */
export const nodeProcess: Partial<NodeJS.Process> | undefined = globalThis.process;

/** Returns a module of Node.js; undefined where there is none. It is not imported, so that a bundle for browsers does not ask for it. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return nodeProcess?.getBuiltinModule?.(name) as Builtins[Name] | undefined;
}

const encoder = new TextEncoder();

/** Returns the number of bytes of a text as UTF-8. */
export const byteLength: (text: string) => number =
  typeof Buffer === "undefined" ? (text) => encoder.encode(text).length : (text) => Buffer.byteLength(text);
