// The server of the inspector: hosts, origins, tokens and hostile strings.
import { createServer, type Server } from "node:http";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createAgent, defineTool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
let port: string;
beforeAll(async () => {
  env = await makeEnvironment();
  ({ port } = new URL(env.hub.url));
});
afterAll(() => env.close());

type Headers = { readonly [name: string]: string };

/** Sends a GET request with these headers; returns status, headers and body. */
function get(
  path: string,
  headers: Headers = {},
): Promise<{ status: number; headers: Headers; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let body = "";
      response.on("data", (data) => (body += String(data)));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers as Headers, body }),
      );
    });
    sent.on("error", reject).end();
  });
}

/** Returns how a WebSocket ends: the status of a rejected handshake, or the close code. */
function socketEnd(path: string, headers: Headers, first?: object): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode!));
    socket.on("close", (code) => resolve(code));
    socket.on("error", () => {});
    if (first) socket.on("open", () => socket.send(JSON.stringify(first)));
  });
}

describe("The server", () => {
  const bearer = (): Headers => ({ authorization: `Bearer ${env.hub.token}` });

  test("rejects host names that are not its own", async () => {
    for (const host of [`evil.test:${port}`, "evil.test", `127.0.0.1.evil.test:${port}`, "127.0.0.1:1"]) {
      expect((await get("/", { host })).status, host).toBe(421);
      expect((await get("/api/runs", { host, ...bearer() })).status, host).toBe(421);
      expect(await socketEnd("/ws", { host, origin: env.hub.url }), host).toBe(421);
    }
  });

  test("rejects requests without a token, with a wrong one and with the workers' token", async () => {
    const wrong = ["", "Bearer ", "Bearer x", `Bearer ${env.hub.workerToken}`, `Basic ${env.hub.token}`];
    for (const authorization of wrong) {
      for (const path of [
        "/api/runs",
        "/api/runs/x",
        "/api/runs/x/steps",
        "/api/runs/x/export",
        "/api/charts/x",
      ]) {
        expect((await get(path, { authorization })).status, `${path} ${authorization}`).toBe(401);
      }
    }
    expect((await get(`/api/runs?t=${env.hub.token}`)).status).toBe(401);
    expect((await get("/api/runs", bearer())).status).toBe(200);
  });

  test("rejects requests of other origins, even with the right token", async () => {
    for (const origin of ["http://evil.test", "null", `https://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
      expect((await get("/api/runs", { origin, ...bearer() })).status, origin).toBe(403);
      expect(await socketEnd("/ws", { origin }), origin).toBe(403);
      expect(await socketEnd("/worker", { origin }), origin).toBe(403);
    }
    expect(await socketEnd("/ws", {})).toBe(403);
    expect(await socketEnd("/worker", { origin: env.hub.url })).toBe(403);
  });

  test("closes sockets that send no hello within 2 s, a wrong token, another version or another message", async () => {
    const origin = { origin: env.hub.url };
    const { token, workerToken } = env.hub;
    expect(await socketEnd("/ws", origin)).toBe(4401);
    expect(await socketEnd("/ws", origin, { type: "hello", token: workerToken, proto: 1 })).toBe(4401);
    expect(await socketEnd("/ws", origin, { type: "hello", proto: 1 })).toBe(4401);
    expect(await socketEnd("/ws", origin, { type: "sub", runId: "x", after: 0 })).toBe(4401);
    expect(await socketEnd("/ws", origin, { type: "hello", token, proto: 99 })).toBe(4406);
    expect(await socketEnd("/worker", {}, { type: "hello", token, proto: 1, charts: [] })).toBe(4401);
  });

  test("rejects paths that leave the page's folder", async () => {
    for (const path of [
      "/../package.json",
      "/..%2fpackage.json",
      "/assets/../../package.json",
      "/%2e%2e/package.json",
      "/..\\package.json",
    ]) {
      const { status, body } = await get(path);
      expect([400, 404], path).toContain(status);
      expect(body).not.toContain('"agentchart"');
    }
  });
});

describe("A page of another origin in the same browser", () => {
  let other: Server;
  let address: string;
  beforeAll(async () => {
    other = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<title>evil</title>"),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    address = `http://localhost:${(other.address() as AddressInfo).port}/`;
  });
  afterAll(() => other.close());

  test("gets no socket, no data and no frame of the inspector", async () => {
    const { page } = await env.open({ at: address });
    const probes = await page.evaluate(probe(env.hub.url, env.hub.token));
    expect(probes).toEqual({ socket: 1006, plain: "TypeError", bearer: "TypeError", inside: "closed" });
    const framed = () =>
      page
        .frames()
        .filter((each) => each !== page.mainFrame())
        .map((frame) => frame.url());
    await expect.poll(framed).toEqual([expect.stringMatching(/^chrome-error:/)]);
  });

  test("causes a recorded fault if the inspector's page requests anything from it", async () => {
    const { page, faults } = await env.open();
    await page.evaluate(`fetch("${address}?image").catch(() => {})`);
    await expect.poll(() => faults.policy.join()).toContain("connect-src");
    await page.evaluate(`void window.open("${address}?link")`);
    await expect.poll(() => faults.outbound).toEqual([`${address}?link`]);
  });
});

/** What a foreign page tries; a string, because it runs in that page. */
const probe = (url: string, token: string): string => `(async () => {
  const socket = await new Promise((resolve) => {
    const ws = new WebSocket("${url.replace("http", "ws")}/ws");
    ws.onclose = ({ code }) => resolve(code);
    ws.onopen = () => resolve(0);
  });
  const ask = (init) => fetch("${url}/api/runs", init).then(({ type }) => type, ({ name }) => name);
  const frame = document.createElement("iframe");
  frame.src = "${url}/#t=${token}";
  const loaded = new Promise((resolve) => (frame.onload = resolve));
  document.body.append(frame);
  await loaded;
  const inside = frame.contentDocument ? frame.contentDocument.title : "closed";
  const headers = { authorization: "Bearer ${token}" };
  return { socket, plain: await ask({}), bearer: await ask({ headers }), inside };
})()`;

describe("Hostile strings of a model and of a tool", () => {
  const beacon = "http://127.0.0.1:9/beacon";
  const text = [
    `<img src=x onerror="globalThis.__ran=1"><script>globalThis.__ran=2</script>`,
    `![picture](${beacon}?image) ![](//127.0.0.1:9/beacon?protocol) [![in](${beacon}?in)](javascript:globalThis.__ran=3)`,
    `[click](javascript:globalThis.__ran=4) [data](data:text/html,<script>1</script>) <${beacon}?auto> [ok](${beacon}?link)`,
    `<iframe src="${beacon}?frame"></iframe><style>@import "${beacon}?css"</style><svg onload="globalThis.__ran=5">`,
    "right\u202Eto left\u2066 hidden\u{E0041} and \u0007 bell \u001B[31mred\u001B[0m",
    "| a | b |\n|---|---|\n| <b>1</b> | `2` |",
  ].join("\n\n");

  test("are shown as text: no request, no policy violation, no script", async () => {
    const input = JSON.parse(
      `{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}, "html": "<b>x</b>"}`,
    ) as never;
    const agent = createAgent({
      name: "<img src=x onerror=alert(1)>",
      sysPrompt: text,
      model: scriptedModel([{ thinking: text, text, calls: [{ name: "read", input }] }, text]),
      tools: [
        defineTool({
          name: "read",
          description: text,
          input: { type: "object" },
          execute: () => `${text}\n${"x".repeat(5_000_000)}`,
        }),
      ],
      inspect: env.hub.address,
    });
    const { page, ui, faults } = await env.open();
    await agent.call(text);
    await ui.choose(agent.sessionId);
    await ui.waitForRest();
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("<script>globalThis.__ran=2</script>");
    const [, newest] = await ui.steps();
    for (const tab of ["context", "diff", "event", "tokens", "raw", "prompt", "conversation"]) {
      await ui.openTab(tab);
      for (let stepNumber = 1; stepNumber <= newest; stepNumber += 1) await ui.goTo(stepNumber);
    }
    await page.keyboard.press("l");
    await ui.waitForStep(newest);
    const links = await conversation
      .locator("a")
      .evaluateAll((all) =>
        all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")] as const),
      );
    for (const [href, rel] of links) {
      expect(href).toMatch(/^https?:/);
      expect(rel).toContain("noopener");
    }
    expect(await conversation.locator("img, iframe, script, style, svg[onload]").count()).toBe(0);
    const rendered = await conversation.innerText();
    expect(rendered.replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    expect(await page.evaluate(() => ["__ran" in globalThis, "polluted" in {}])).toEqual([false, false]);
    expect(faults).toEqual(NO_FAULTS);
    await agent.close();
  });

  test("are shown with visible escapes for hidden and direction-changing characters everywhere", async () => {
    const odd = `odd\u202E\u2066\u{E0041}`;
    const input = { path: `safe${odd}`, [`key${odd}`]: { [`member${odd}`]: odd }, mode: `a${odd}` };
    const edited: unknown[] = [];
    const agent = createAgent({
      name: `agent ${odd}`,
      sysPrompt: odd,
      model: scriptedModel([
        { text: odd, calls: [{ name: `tool${odd}`, input }] },
        { thinking: odd, text: `# ${odd}`, calls: [{ id: "w1", name: "write", input }] },
        odd,
      ]),
      tools: [
        defineTool({
          name: "write",
          description: odd,
          input: {
            type: "object",
            properties: { path: { type: "string", title: `title ${odd}`, description: odd } },
          },
          execute: (received) => {
            edited.push(received);
            return odd;
          },
        }),
      ],
      permissions: { rules: [{ tool: "write", action: "ask", reason: `reason ${odd}` }] },
      store: memoryStore(),
      inspect: env.hub.address,
    });
    const { page, ui, faults } = await env.open();
    expect((await agent.call(odd)).reason).toBe("APPROVAL_REQUIRED");
    await ui.choose(agent.sessionId);
    await ui.waitForRest();
    const card = ui.pending("w1");
    expect(await card.innerText()).toMatch(/reason odd⟨U\+202E⟩⟨U\+2066⟩⟨U\+E0041⟩/);
    const [, newest] = await ui.steps();
    for (const tab of ["context", "diff", "event", "tokens", "raw", "prompt", "conversation"]) {
      await ui.openTab(tab);
      for (let stepNumber = 1; stepNumber <= newest; stepNumber += 1) {
        await ui.goTo(stepNumber);
        expect(await page.evaluate(hidden), `${tab} ${stepNumber}`).toEqual([]);
      }
    }
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    expect(await page.evaluate(hidden), "outline").toEqual([]);
    await page.keyboard.press("o");

    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await dialog.locator("option", { hasText: "⟨U+202E⟩" }).first().waitFor({ state: "attached" });
    expect(await page.evaluate(hidden), "fork").toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await page.keyboard.press("l");
    await card.getByRole("button", { name: /^Edit/ }).click();
    const path = card.getByRole("textbox", { name: /^title/ });
    expect(await path.inputValue()).toBe(String.raw`"safeodd\u202E\u2066\uDB40\uDC41"`);
    await path.fill('"there"');
    await expect.poll(() => card.innerText()).toMatch(/path: "safeodd⟨U\+202E⟩[^]*"there"/);
    expect(await page.evaluate(hidden), "edit").toEqual([]);
    await card.getByRole("button", { name: "Edit as JSON" }).click();
    expect(await page.evaluate(hidden), "edit as JSON").toEqual([]);
    await card.getByRole("button", { name: /^Approve/ }).click();
    await expect.poll(() => edited).toEqual([{ ...input, path: "there" }]);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    await expect.poll(() => card.count()).toBe(0);
    expect(await page.evaluate(hidden), "at the end").toEqual([]);
    expect(await page.title()).toContain("⟨U+202E⟩");
    expect(faults).toEqual(NO_FAULTS);
    await agent.close();
  });
});

/**
 * Lists where the page contains hidden or direction-changing characters: in text, names, titles and form
 * values. A string, because it runs in the page.
 */
const hidden = `(() => {
  const odd = /[\\u202A-\\u202E\\u2060-\\u206F\\u{E0000}-\\u{E007F}]/u;
  const names = ["title", "aria-label", "aria-valuetext", "placeholder", "alt"];
  const all = [...document.querySelectorAll("*")];
  return [
    ["text", document.body.innerText],
    ["content", document.body.textContent],
    ["title", document.title],
    ...all.flatMap((each) => names.map((name) => [each.localName + " " + name, each.getAttribute(name) ?? ""])),
    ...all.flatMap((each) => ("value" in each && each.localName !== "option" ? [[each.localName, String(each.value)]] : [])),
  ].filter(([, text]) => odd.test(text));
})()`;

test("the token is removed from the address bar and is never part of a request URL", async () => {
  const { page } = await env.open();
  const requested: string[] = [];
  page.on("request", (sent) => requested.push(sent.url()));
  await expect.poll(() => page.url()).not.toContain(env.hub.token);
  await page.reload();
  await page.locator(".run-list, [data-testid=welcome]").waitFor();
  expect(requested.filter((url) => url.includes(env.hub.token))).toEqual([]);
});
