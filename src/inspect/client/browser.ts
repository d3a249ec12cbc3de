// Observes the actors of a page in a browser: it imports nothing of Node.js, and nothing of agents.
import type { InspectionEvent } from "xstate";
import { parseAddress } from "../../core/base/inspect-address.ts";
import type { Json } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { newId } from "../../core/message/msg.ts";
import { ActorSystems } from "./actor-systems.ts";
import { openBrowserSocket } from "./browser-socket.ts";
import { retrySchema } from "./hub-connection.ts";
import { historySchema, type HistoryLimits } from "./history.ts";
import { ACTORS_INTERVAL_MS, Reporter } from "./reporter.ts";

export type { HistoryLimits } from "./history.ts";

/** The part of `import.meta.hot` of a bundler that is used, such as that of Vite. */
export type HotModule = { dispose(callback: () => void): void };

/** Options of {@link inspector}. */
export type BrowserInspectorOptions = {
  /** The address that `npx agentchart inspect` prints for pages, which is `browserUrl` of `startHub`: "http://127.0.0.1:4000#w=TOKEN". */
  readonly url: string;
  /** `import.meta.hot` of the module that makes the inspector. When the module is loaded again, its actors are shown as ended, and those of
   *  the new module as new runs. Default: none; actors are shown until they end or the page is left. */
  readonly hot?: HotModule | undefined;
  /** The bounds of the delay before the next attempt to connect, ms. Default [500, 10000]. */
  readonly retryMs?: readonly [min: number, max: number] | undefined;
  /** The amount of each actor that is retained for a hub that connects later. Default 5,000 steps and 2,000,000 bytes. */
  readonly keep?: HistoryLimits | undefined;
  /** Redacts contexts, events and errors. What it throws hides the value. Default: only values whose keys are named like secrets are
   *  hidden. */
  readonly redact?: ((value: Json) => Json) | undefined;
};

const schema = s.lazily(() =>
  s.options<BrowserInspectorOptions>({
    url: s.nonEmpty("an address, such as http://127.0.0.1:4000#w=TOKEN"),
    hot: s.optional(
      s.value(
        (value) => typeof (value as Partial<HotModule> | null)?.dispose === "function",
        "import.meta.hot",
      ),
    ),
    retryMs: s.optional(retrySchema()),
    keep: s.optional(historySchema()),
    redact: s.optional(s.func()),
  }),
);

/** The observer of the actors of a page. */
export interface BrowserInspector {
  /** Observes a system of XState 5, as the `inspect` of its root actor. What it costs is bounded. Never throws. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Same as {@link BrowserInspector.inspect}: so `inspect: inspector({ url })` is an observer too. */
  readonly next: (event: InspectionEvent) => void;
  /** Sends the remaining steps. It disconnects if no other inspector of the page has the same address. */
  close(): Promise<void>;
}

/** Runs of modules that were loaded again, which a page keeps for a hub that connects later. */
const MAX_FORMER = 200;
const WRONG_TOKEN = 4401;
const RELOADED = "Its module was loaded again: what came after this is another run.";

/** A connection, which all inspectors of a page with the same address share: a module that is loaded again goes on with it. */
class PageReporter {
  static readonly #known = new Map<string, PageReporter>();
  readonly reporter: Reporter;
  readonly systems = new Set<ActorSystems>();
  readonly #url: string;
  readonly #former: string[] = [];

  static at(options: BrowserInspectorOptions): PageReporter {
    const known = this.#known.get(options.url) ?? new PageReporter(options);
    this.#known.set(options.url, known);
    return known;
  }

  private constructor({ url, retryMs = [500, 10_000] }: BrowserInspectorOptions) {
    const { url: origin, token = "" } = parseAddress(url);
    this.#url = url;
    this.reporter = new Reporter({
      worker: { id: `page-${newId()}`, pid: 0, isUp: true, since: Date.now() },
      find: async () => ({ url: origin, token }),
      open: openBrowserSocket,
      onClose(code) {
        if (code === WRONG_TOKEN)
          // oxlint-disable-next-line no-console -- nothing else in a page says why it is not shown
          console.warn(`The inspector at ${origin} refuses the token: it needs the address for pages.`);
      },
      beforeUpdate: () => {
        for (const each of this.systems) each.sweep();
      },
      onCommand: () => {},
      retryMs,
    });
  }

  /** Keeps runs that go on no more, the newest ones. */
  keep(former: readonly string[]): void {
    this.#former.push(...former);
    for (const runId of this.#former.splice(0, Math.max(0, this.#former.length - MAX_FORMER)))
      this.reporter.drop(runId);
  }

  async close(systems: ActorSystems): Promise<void> {
    await this.reporter.flush();
    this.systems.delete(systems);
    if (this.systems.size > 0) return;
    PageReporter.#known.delete(this.#url);
    this.reporter.close();
  }
}

/**
 * Observes the XState actors of a page in a browser, and shows them in the inspector. Bundle it for development only: its address has a token
 * that may report. It connects whenever the hub is running, and never slows down or fails an actor. Throws `config/invalid` for an
 * invalid address.
 *
 * @example
 * ```ts
 * import { inspector } from "agentchart/inspect/browser";
 * import { createActor, createMachine } from "xstate";
 *
 * const page = inspector({ url: "http://127.0.0.1:4000#w=TOKEN" }); // in a module of Vite: also `hot: import.meta.hot`
 * const light = createMachine({ id: "light", initial: "green", states: { green: { on: { next: "red" } }, red: {} } });
 * const actor = createActor(light, { inspect: page.inspect });
 * actor.start();
 * await page.close();
 * ```
 */
export function inspector(options: BrowserInspectorOptions): BrowserInspector {
  check(schema(), options, "inspector");
  const page = PageReporter.at(options);
  const { reporter } = page;
  const systems = new ActorSystems({
    added: (actor) => reporter.add(actor),
    changed: (runId) => reporter.changed(runId, ACTORS_INTERVAL_MS),
    dropped: (runId) => reporter.drop(runId),
    keep: options.keep,
    redact: options.redact,
  });
  page.systems.add(systems);
  options.hot?.dispose(() => {
    page.keep(systems.end(RELOADED));
    page.systems.delete(systems);
  });
  const inspect = (event: InspectionEvent): void => systems.observe(event);
  return { inspect, next: inspect, close: () => page.close(systems) };
}
