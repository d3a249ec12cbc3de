import { createContext, runInContext } from "node:vm";

/** The globals that browsers and edges share, beside those of the language. */
const WEB = {
  AbortController,
  AbortSignal,
  crypto,
  DOMException,
  performance,
  queueMicrotask,
  structuredClone,
  TextDecoder,
  TextEncoder,
  URL,
  clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  // The timers of a browser are numbers.
  setInterval: (run: () => void, ms?: number) => Number(setInterval(run, ms)),
  setTimeout: (run: (value?: unknown) => void, ms?: number, value?: unknown) =>
    Number(setTimeout(run, ms, value)),
};

/** Runs the text of a module that imports nothing in a context that has no global of Node.js. Resolves to the lines that it prints. */
export async function runInWebContext(code: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const console = { log: (...values: readonly unknown[]) => void lines.push(values.map(String).join(" ")) };
  await runInContext(`(async () => { ${code}\n })()`, createContext({ ...WEB, console }));
  return lines;
}
