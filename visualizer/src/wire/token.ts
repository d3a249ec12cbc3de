import { tokenIn } from "../logic/address.ts";

const KEY = "agentchart.token";

/** The token of the link this page was opened with, or of the last one in this tab. The address keeps nothing of it. */
export function takeToken(): string | undefined {
  const fresh = tokenIn(location.hash);
  if (fresh !== undefined) {
    sessionStorage.setItem(KEY, fresh);
    history.replaceState(null, "", `${location.pathname}#/`);
  }
  return fresh ?? sessionStorage.getItem(KEY) ?? undefined;
}
