import type { Group } from "../logic/run-groups.ts";
import type { Chart, ChartMessage, Layouts, PendingItem, RunRow, StepPage } from "./types.ts";

/** The chart of the hub's release, which is no secret; undefined if there is no hub. */
export async function ownChart(): Promise<ChartMessage | undefined> {
  const answer = await fetch("/chart.json").catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as ChartMessage) : undefined;
}

/** What the hub answers, without changing anything. Every method rejects with a sentence for people. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  runs(query: {
    readonly q?: string;
    readonly group?: Group;
    readonly worker?: string;
    readonly cursor?: string;
    readonly limit?: number;
  }): Promise<{ readonly rows: readonly RunRow[]; readonly cursor?: string; readonly total: number }> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    );
    return this.#json(`/api/runs?${search}`);
  }

  run(runId: string): Promise<{
    readonly row: RunRow;
    readonly chart: string;
    readonly pending: readonly PendingItem[];
    readonly exceeded?: string;
  }> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}`);
  }

  steps(runId: string, from: number, to: number): Promise<StepPage> {
    return this.#json(`/api/runs/${encodeURIComponent(runId)}/steps?from=${from}&to=${to}`);
  }

  /** Undefined if the hub does not have it. */
  async chart(hash: string): Promise<ChartMessage | undefined> {
    const answer = await this.#fetch(`/api/charts/${encodeURIComponent(hash)}`);
    return answer.status === 404 ? undefined : ((await (await checked(answer)).json()) as ChartMessage);
  }

  /** Places for a chart that the hub need not know; null if it cannot be laid out in time. */
  async layouts(chart: Chart): Promise<Layouts | null> {
    const given = { method: "POST", body: JSON.stringify(chart) };
    return ((await (await this.#ask("/api/layouts", given)).json()) as { layouts: Layouts | null }).layouts;
  }

  async blob(runId: string, sha: string): Promise<string> {
    return (await this.#get(`/api/runs/${encodeURIComponent(runId)}/blob/${encodeURIComponent(sha)}`)).text();
  }

  async export(runId: string): Promise<globalThis.Blob> {
    return (await this.#get(`/api/runs/${encodeURIComponent(runId)}/export`)).blob();
  }

  async #json<T>(path: string): Promise<T> {
    return (await (await this.#get(path)).json()) as T;
  }

  #get(path: string): Promise<Response> {
    return this.#ask(path, {});
  }

  async #ask(path: string, given: RequestInit): Promise<Response> {
    return checked(await this.#fetch(path, given));
  }

  #fetch(path: string, given: RequestInit = {}): Promise<Response> {
    return fetch(path, { ...given, headers: { authorization: `Bearer ${this.#token}` } });
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new Error(messageOf(await response.text()) ?? `The inspector answered ${response.status}.`);
}

/** What the hub says of a problem: `{ error: { message } }`. */
function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error?: { readonly message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
