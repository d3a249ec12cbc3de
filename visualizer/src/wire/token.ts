import { tokenIn } from "../logic/address.ts";

const KEY = "agentchart.token";

/**
 * Returns the token of the link that opened this page, or the last one of this tab, and removes it from the
 * address.
 */
export function takeToken(): string | undefined {
  const token = tokenIn(location.hash);
  if (token !== undefined) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, "", `${location.pathname}#/`);
  }
  return token ?? sessionStorage.getItem(KEY) ?? undefined;
}
