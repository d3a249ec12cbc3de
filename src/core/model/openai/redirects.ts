const MAX_REDIRECTS = 5;

/**
 * Sends a request that goes to no other origin: what it carries is for the one of `baseURL`, and a redirect leaves only the key out. It is
 * sent again where 307 or 308 leads to another address of this origin. Any other redirect is returned as a refusal that names the
 * address: after 301, 302 and 303 `fetch` would ask without the prompt.
 */
export async function fetchWithinOrigin(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit | undefined,
): Promise<Response> {
  for (let count = 0, to = url; ; count++) {
    const response = await fetch(to, { ...init, redirect: "manual" });
    if (!isRedirect(response)) return response;
    const next = response.headers.get("location");
    const target = next !== null && URL.canParse(next, to) ? new URL(next, to) : undefined;
    const mayFollow = (response.status === 307 || response.status === 308) && count < MAX_REDIRECTS;
    if (!mayFollow || target?.origin !== new URL(to).origin) return refusal(response.status, target);
    await response.body?.cancel();
    to = target.href;
  }
}

/** True for a redirect, which browsers show as one of no status. */
function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

/** A redirect as a refusal. It names the address without its query, which may hold a secret. */
function refusal(status: number, target: URL | undefined): Response {
  const to = target ? `${target.origin}${target.pathname}` : "another address";
  const error = { message: `The server redirects to ${to}.` };
  return Response.json({ error }, { status: status || 302 });
}
