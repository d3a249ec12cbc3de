const KEY = "desk-token";

/** The token of the link: a fragment is never sent to a server, and it is removed from the address bar at once. */
function readToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

export const token = readToken();
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

/** A case as the list has it. */
export type Case = {
  readonly id: string;
  readonly phase: "stopped" | "running" | "suspended" | "unfinished" | "quarantined";
  readonly title?: string;
  readonly meta: { readonly [label: string]: unknown };
  readonly updatedAt: number;
};

/** Sends a request and returns the JSON of the answer. Throws an Error whose message says what went wrong. */
async function ask<T>(path: string, init?: { readonly [option: string]: unknown }): Promise<T> {
  const response = await fetch(path, { headers, ...init });
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => ({}))) as { readonly detail?: string };
  throw new Error(problem.detail ?? response.statusText);
}

/** All cases; sessions of agents inside of a case are none. */
export async function readCases(signal: AbortSignal): Promise<readonly Case[]> {
  type Page = { readonly sessions: readonly Case[]; readonly cursor?: string };
  const cases: Case[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const query = new URLSearchParams({ limit: "500", ...(cursor && { cursor }) });
    const page: Page = await ask<Page>(`/v1/sessions?${query.toString()}`, { signal });
    cases.push(...page.sessions.filter(({ meta }) => meta["parent"] === undefined));
    cursor = page.cursor;
  }
  return cases;
}

/** Opens a case with the message of a customer, once for each key. Returns its id. */
export async function openCase(input: string, key: string): Promise<string> {
  const body = JSON.stringify({ agent: "desk", input });
  const { id } = await ask<{ readonly id: string }>("/v1/sessions", {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": key },
    body,
  });
  return id;
}
