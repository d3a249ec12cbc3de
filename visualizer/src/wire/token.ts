import { readLink } from "../logic/address.ts";
import { keep, kept } from "../store/kept.ts";

/**
 * Returns the token of the link that opened this page, or the last one that was stored under this key, and removes it from the
 * address.
 */
export function takeToken(
  storage: Parameters<typeof kept>[1] = "sessionStorage",
  key = "agentchart.token",
): string | undefined {
  const link = readLink(location.hash);
  if (link) {
    keep(key, link.token, storage);
    history.replaceState(history.state, "", `${location.pathname}${link.address}`);
  }
  // a link that is opened in this tab changes the fragment only, and may have another token
  addEventListener("hashchange", (event) => {
    if (!readLink(location.hash)) return;
    event.stopImmediatePropagation();
    location.reload();
  });
  return link?.token ?? kept(key, storage);
}
