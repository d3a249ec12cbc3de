import type { Hono } from "hono";

/** Hands what the opener of the window posts to the hub. The opener is told to begin once the hub listens: it keeps its events until then. */
const SCRIPT = `const token = new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
const address = location.origin.replace("http", "ws") + "/stately?t=" + encodeURIComponent(token);
const say = (text) => { document.querySelector("p").textContent = text; };
const socket = new WebSocket(address);
socket.addEventListener("open", () => {
  say("What the page reports that opened this window is shown in the inspector. Keep this window open.");
  opener?.postMessage({ type: "@statelyai.connected" }, "*");
});
socket.addEventListener("close", () => say("The inspector is gone, or refuses the token of this address. Reload this window to try again."));
addEventListener("message", ({ source, data }) => {
  if (source && source === opener && String(data?.type).startsWith("@xstate.") && socket.readyState === WebSocket.OPEN)
    socket.send(JSON.stringify(data));
});
if (!opener) say("Open this address with createBrowserInspector({ url }) of @statelyai/inspect.");
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>Reports to Agentchart</title>
<link rel="icon" href="data:,">
<p>Connecting to the inspector …</p>
<script type="module" src="/stately.js"></script>
</html>
`;

/** Its opener is of another origin, and could not post to it otherwise. Nothing is in the window but the token that may report. */
const HEADERS = { "cross-origin-opener-policy": "unsafe-none" };

/** Adds the window that `createBrowserInspector` of `@statelyai/inspect` opens. */
export function addStatelyPage(app: Hono): void {
  app.get("/stately", (c) => c.html(PAGE, 200, HEADERS));
  app.get("/stately.js", (c) =>
    c.body(SCRIPT, 200, { ...HEADERS, "content-type": "text/javascript; charset=utf-8" }),
  );
}
