import { relative } from "node:path";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { RequestRecord } from "../../server/options.ts";
import { asSentence } from "../error-message.ts";
import type { Terminal } from "../terminal.ts";
import type { LogRecord } from "./thread-messages.ts";

const namesOf = (names: readonly string[]): string => names.join(", ");

/** Tells in the terminal what `agentchart dev` does. Turns that end well are seen in the page. */
export class DevReport {
  readonly #file: string;
  readonly #terminal: Terminal;

  constructor(file: string, terminal: Terminal) {
    this.#file = file;
    this.#terminal = terminal;
  }

  started(agents: readonly string[], store: string): void {
    this.#terminal.note(`Agents of ${this.#file}: ${namesOf(agents)}. Sessions in ${store}. Ctrl-C ends it.`);
  }

  loaded(agents: readonly string[], changed: readonly string[]): void {
    const why = changed.length > 0 ? `${namesOf(changed.map((path) => relative(".", path)))} changed: ` : "";
    this.#terminal.note(`${why}${why ? "loaded" : "Loaded"} ${namesOf(agents)} again.`);
  }

  failed(problems: readonly string[]): void {
    for (const problem of problems) this.#terminal.fail(problem);
  }

  broken(problem: string): void {
    this.#terminal.fail(`${problem} The agents before it go on.`);
  }

  crashed(message: string): void {
    this.#terminal.fail(`The agents have ended: ${asSentence(message)} They are loaded again.`);
  }

  draining(): void {
    this.#terminal.note("Saving what runs. Ctrl-C again ends at once.");
  }

  request({ status, method, route, error }: RequestRecord): void {
    if (status >= 500) this.#terminal.warn(`${method} ${route}: ${status} ${error?.message ?? ""}`);
  }

  log({ level, event, fields }: LogRecord): void {
    if (level !== "warn" && level !== "error") return;
    const { agent, sessionId, error, reason } = fields as {
      readonly agent?: string;
      readonly sessionId?: string;
      readonly error?: ErrorInfo | string;
      readonly reason?: string;
    };
    const what = typeof error === "object" ? `${error.code}: ${error.message}` : (error ?? reason ?? "");
    const who = [agent, sessionId].filter((part) => part !== undefined).join(" ");
    this.#terminal.warn([event, who, what].filter((part) => part !== "").join(" · "));
  }
}
