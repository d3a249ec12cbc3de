// A page of a bundler's server that is observed by the inspector, and whose module is loaded again while it runs.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startHub, type StartedHub } from "agentchart/inspect";
import type { RunRow } from "../../src/inspect/protocol/protocol.ts";
import { ROOT } from "../project/source-files.ts";
import { launch, NO_FAULTS, open } from "./support/browser.ts";

let folder: string;
let hub: StartedHub;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agentchart-observed-"));
  hub = await startHub({ home: folder });
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const moduleWith = (state: string): string => `
  import { inspector } from "agentchart/inspect/browser";
  import { createActor, createMachine } from "xstate";
  const page = inspector({ url: ${JSON.stringify(hub.browserUrl)}, retryMs: [50, 200], hot: import.meta.hot });
  const light = createMachine({
    id: "light",
    context: { body: document.body, password: "hunter2" },
    initial: "green",
    states: { green: { on: { next: "${state}" } }, ${state}: {} },
  });
  createActor(light, { inspect: page.inspect }).start().send({ type: "next" });
  document.title = "${state}";
  import.meta.hot?.accept();
`;

/** Serves the folder with Vite; resolves to its address. */
async function serve(): Promise<string> {
  const alias = {
    "agentchart/inspect/browser": join(ROOT, "src/inspect/client/browser.ts"),
    xstate: join(ROOT, "node_modules/xstate/dist/xstate.development.esm.js"),
  };
  const config = {
    resolve: { alias },
    server: { fs: { strict: false }, host: "127.0.0.1", port: 0 },
    optimizeDeps: { noDiscovery: true },
    clearScreen: false,
  };
  writeFileSync(join(folder, "vite.config.mjs"), `export default ${JSON.stringify(config)};`);
  writeFileSync(join(folder, "index.html"), '<body><script type="module" src="/main.js"></script></body>');
  writeFileSync(join(folder, "main.js"), moduleWith("red"));
  const child = spawn(process.execPath, [join(ROOT, "node_modules/vite/bin/vite.js"), folder], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
  });
  onTestFinished(() => void child.kill());
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += String(data)));
  const address = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+\//.exec(printed)?.[0];
  await expect.poll(address, { message: printed }).toBeDefined();
  return address()!;
}

async function rows(): Promise<readonly RunRow[]> {
  const headers = { authorization: `Bearer ${hub.token}` };
  const answer = await fetch(`${hub.url}/api/runs`, { headers });
  return ((await answer.json()) as { readonly rows: readonly RunRow[] }).rows;
}

test("the actors of a page are shown, and after a hot reload those of the new module, beside the former ones", async () => {
  const address = await serve();
  const browser = await launch();
  onTestFinished(() => browser.close());
  const observed = await browser.newPage();
  await observed.goto(address);
  const told = async () =>
    (await rows()).map(({ agent, state, phase, worker }) =>
      [agent, state, phase, worker?.isUp ?? "gone"].join(" "),
    );
  await expect.poll(told).toEqual(["light red running true"]);
  writeFileSync(join(folder, "main.js"), moduleWith("amber"));
  await expect.poll(() => observed.title()).toBe("amber");
  await expect.poll(told).toEqual(["light amber running true", "light red stopped gone"]);

  const { page, faults } = await open(browser, hub.link);
  await page.getByText("light", { exact: true }).nth(1).waitFor();
  const [newest, former] = await rows();
  expect(newest!.chart).not.toBe(former!.chart);
  expect(former!.notice).toContain("Its module was loaded again");
  const context = await (
    await fetch(`${hub.url}/api/runs/${newest!.runId}/keyframe?at=2`, {
      headers: { authorization: `Bearer ${hub.token}` },
    })
  ).json();
  expect(context).toMatchObject({
    context: { context: { body: "[HTMLBodyElement]", password: "[redacted]" } },
  });
  await page.getByText("light", { exact: true }).first().click();
  await page.getByText("What observes this actor takes no commands").waitFor();
  expect(await page.getByRole("button", { name: /^(?:Pause|Breakpoints)/ }).count()).toBe(0);
  expect(faults).toEqual(NO_FAULTS);
  await observed.close();
  await expect.poll(told).toEqual(["light amber running false", "light red stopped gone"]);
});

test("a page with createBrowserInspector of @statelyai/inspect is shown by way of the window that it opens", async () => {
  const contents = `
    import { createBrowserInspector } from "@statelyai/inspect";
    import { createActor, createMachine } from "xstate";
    const { inspect } = createBrowserInspector({ url: ${JSON.stringify(hub.statelyPageUrl)} });
    const door = createMachine({ id: "door", initial: "shut", states: { shut: { on: { open: "open" } }, open: {} } });
    createActor(door, { inspect }).start().send({ type: "open" });
  `;
  const stdin = { contents, resolveDir: ROOT };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const server = createServer((request, response) => {
    const isScript = request.url === "/main.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript ? outputFiles[0]!.text : '<body><script type="module" src="/main.js"></script></body>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const browser = await launch();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const observed = await context.newPage();
  const opened = context.waitForEvent("page", (page) => page !== observed);
  await observed.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const doors = async () => (await rows()).filter(({ agent }) => agent === "door");
  const told = async () => (await doors()).map(({ state, steps }) => `${state} ${steps}`);
  await expect.poll(told).toEqual(["open 2"]);
  const window = await opened;
  expect(await window.textContent("p")).toContain("Keep this window open");
  const alone = await context.newPage();
  await alone.goto(hub.statelyPageUrl.replace(/#.*/, "#t=wrong"));
  await expect.poll(() => alone.textContent("p")).toContain("refuses the token");
});
