import { ConnectionError } from "../wire-error.ts";
import type { CallOptions, OpenAIClientOptions, Post } from "./client.ts";
import { OPENAI_BASE_URL } from "./dialect.ts";
import { refusalOf } from "./error-body.ts";
import { fetchWithinOrigin } from "./redirects.ts";

/**
 * Returns what posts requests with `fetch` alone. It sends what the client of the `openai` package sends, but for the headers in which
 * that one describes itself, and fails with the same verdicts. Nothing is retried, logged or read from the environment, and nothing
 * but the signal ends a request.
 */
export function fetchTransport({ apiKey, baseURL = OPENAI_BASE_URL, fetch }: OpenAIClientOptions): Post {
  const base = {
    accept: "application/json",
    authorization: `Bearer ${apiKey || "none"}`,
    "content-type": "application/json",
    "user-agent": "agentchart",
  };
  const urls = new Map<string, string>(); // a model posts to one path, or to two
  let checked: Headers | undefined;
  return async (path, body, { signal, headers }) => {
    const url = urls.get(path) ?? urlOf(baseURL, path);
    urls.set(path, url);
    checked ??= new Headers(base); // throws for a key that no header can have
    const request = {
      method: "POST",
      headers: headers ? withHeaders(checked, headers) : { ...base },
      body,
      signal,
    };
    let response: Response;
    try {
      response = await fetchWithinOrigin(fetch ?? globalThis.fetch, url, request);
    } catch (thrown) {
      throw new ConnectionError(thrown);
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
}

function withHeaders(base: Headers, more: NonNullable<CallOptions["headers"]>): Headers {
  const headers = new Headers(base);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  headers.set("content-type", "application/json");
  return headers;
}

/** The address of an endpoint; the query of the base URL stays, as Azure needs it for `api-version`. */
export function urlOf(baseURL: string, path: string): string {
  const url = new URL(baseURL);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  url.hash = "";
  return url.href;
}
