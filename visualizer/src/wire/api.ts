import type { ActorMessage } from "../../../src/inspect/protocol/actor-info.ts";
import type {
  Chart,
  ChartMessage,
  JsonObject,
  Layouts,
  PendingItem,
  PromptLens,
  RunFilter,
  RunGroup,
  RunRow,
  StepPage,
  Suspicion,
  Trial,
  TriedRule,
  WireRequest,
} from "./types.ts";
import { t } from "../words/t.ts";

/** Fetches the chart of the server's release, which needs no token; undefined if the server does not answer. */
export async function ownChart(): Promise<ChartMessage | undefined> {
  const answer = await fetch("/chart.json").catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as ChartMessage) : undefined;
}

/** The HTTP requests to the server. Every method rejects with a message that can be displayed. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** Resolves to a page of the list of runs; without `cursor` in the result it is the last one. */
  runs(
    query: RunFilter & {
      readonly group?: RunGroup;
      readonly worker?: string;
      readonly cursor?: string;
      readonly limit?: number;
    },
  ): Promise<{
    readonly rows: readonly RunRow[];
    readonly cursor?: string;
    readonly total: number;
    readonly unindexed?: number;
  }> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    );
    return this.#json(`/api/runs?${search}`);
  }

  /** Resolves to the row and the open calls of a run. */
  run(runId: string): Promise<{
    readonly row: RunRow;
    readonly chart: string;
    readonly pending: readonly PendingItem[];
    readonly exceeded?: string;
  }> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}`);
  }

  /** Resolves to the steps `from` to `to`, at most 1,000, with the context before them only if steps after `from` are gone. */
  steps(runId: string, from: number, to: number): Promise<StepPage> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}/steps?from=${from}&to=${to}&knows=1`);
  }

  /** Resolves to the context after a step; undefined if the server no longer has it. */
  async keyframe(runId: string, at: number): Promise<JsonObject | undefined> {
    const answer = await this.#fetch(`/api/runs/${encodeURIComponent(runId)}/keyframe?at=${at}`);
    if (answer.status === 404) return undefined;
    return ((await (await checkStatus(answer)).json()) as { readonly context: JsonObject }).context;
  }

  /** Resolves to undefined if the server does not have the chart. */
  async chart(hash: string): Promise<ChartMessage | undefined> {
    const answer = await this.#fetch(`/api/charts/${encodeURIComponent(hash)}`);
    return answer.status === 404 ? undefined : ((await (await checkStatus(answer)).json()) as ChartMessage);
  }

  /** Lays out a chart, which the server need not know; resolves to null if that takes too long. */
  async layouts(chart: Chart): Promise<Layouts | null> {
    const request = { method: "POST", body: JSON.stringify(chart) };
    return ((await (await this.request("/api/layouts", request)).json()) as { layouts: Layouts | null })
      .layouts;
  }

  /** Resolves to a machine of XState, given as its configuration in JSON, as an exported run. */
  async machine(config: string): Promise<string> {
    return (await this.request("/api/machines", { method: "POST", body: config })).text();
  }

  /** Resolves to what is odd in a run. */
  async suspicions(runId: string): Promise<readonly Suspicion[]> {
    const path = `/api/runs/${encodeURIComponent(runId)}/suspicions`;
    return (await this.#json<{ readonly suspicions: readonly Suspicion[] }>(path)).suspicions;
  }

  /** Resolves to the newest messages between the actors of the system that a run belongs to. */
  messages(runId: string): Promise<{ readonly messages: readonly ActorMessage[]; readonly before: number }> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}/messages`);
  }

  /** Resolves to what a rule would have made of the calls of a run. */
  tryRule(runId: string, rule: TriedRule): Promise<Trial> {
    const query = encodeURIComponent(JSON.stringify(rule));
    return this.#json(`/api/runs/${encodeURIComponent(runId)}/rule?rule=${query}`);
  }

  /** Resolves to what the server checks runs for. */
  async checks(): Promise<readonly { readonly name: string; readonly title: string }[]> {
    type Checks = { readonly checks: readonly { readonly name: string; readonly title: string }[] };
    return (await this.#json<Checks>("/api/suspicions")).checks;
  }

  /** Resolves to the newest request to a model up to a step. */
  prompt(runId: string, at: number): Promise<PromptLens> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}/prompt?at=${at}`);
  }

  /** Resolves to the request that the adapter makes of a request to a model, or to why there is none. */
  async rawRequest({
    call: { wire },
    request,
  }: PromptLens): Promise<{ readonly raw: WireRequest } | { readonly problem: string }> {
    const body = JSON.stringify({ wire, request });
    return (await this.request("/api/raw-request", { method: "POST", body })).json() as never;
  }

  /** Resolves to a long string that steps refer to. */
  async blob(runId: string, sha: string): Promise<string> {
    return (await this.#get(`/api/runs/${encodeURIComponent(runId)}/blob/${encodeURIComponent(sha)}`)).text();
  }

  /** Resolves to the exported run, as a file in NDJSON format. */
  async export(runId: string): Promise<globalThis.Blob> {
    return (await this.#get(`/api/runs/${encodeURIComponent(runId)}/export`)).blob();
  }

  async #json<T>(path: string): Promise<T> {
    return (await (await this.#get(path)).json()) as T;
  }

  #get(path: string): Promise<Response> {
    return this.request(path);
  }

  /** Asks the server for what has no method of its own here. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return checkStatus(await this.#fetch(path, init));
  }

  #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(path, { ...init, headers: { authorization: `Bearer ${this.#token}` } });
  }
}

async function checkStatus(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new Error(messageOf(await response.text()) ?? t`The inspector answered ${response.status}.`);
}

/** The message of an error response: `{ error: { message } }`. */
function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error?: { readonly message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
