import { readLink } from "../logic/address.ts";

/**
 * Returns the token of the link that opened this page, or the last one that was stored under this key, and removes it from the
 * address.
 */
export function takeToken(kept: Storage = sessionStorage, key = "agentchart.token"): string | undefined {
  const link = readLink(location.hash);
  if (link) {
    kept.setItem(key, link.token);
    history.replaceState(null, "", `${location.pathname}${link.address}`);
  }
  return link?.token ?? kept.getItem(key) ?? undefined;
}
