import type { Page } from "playwright-core";

const NOTE = `(() => {
  const told = globalThis.told = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node.matches?.("[data-notice]")) told.push(node.innerText);
  }).observe(document.body, { subtree: true, childList: true });
})()`;

/** Notes what the page tells at its edge from now on, for it goes by itself; gives all of that. */
export async function noteNotices(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(NOTE);
  return () => page.evaluate("told");
}
