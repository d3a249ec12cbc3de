import type { Page } from "playwright-core";

const RECORD = `(() => {
  const notices = globalThis.recordedNotices = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node.matches?.("[data-notice]")) notices.push(node.innerText);
  }).observe(document.body, { subtree: true, childList: true });
})()`;

/** Records the notices of the page from now on, because they disappear after a while; returns a function that reads them. */
export async function recordNotices(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(RECORD);
  return () => page.evaluate("recordedNotices");
}
