// The page before a run is chosen, while it loads, and after.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_HELLO } from "../../src/inspect/protocol/protocol.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { makeConnectionProxy } from "./support/connection-proxy.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

describe("The page before a run is selected", () => {
  test("shows a placeholder until the hub has sent its runs, then how to start one", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const released = Promise.withResolvers<void>();
    proxy.toPage = (message) => {
      if (message.type !== "runs") return message;
      void released.promise.then(() => proxy.send(message));
      return undefined;
    };
    const { page, faults } = await env.open({
      prepare: async (opened) => {
        await prepare(opened);
        await opened.route("**/api/runs*", async (route) => {
          await released.promise;
          await route.continue();
        });
      },
    });
    await expect.poll(() => page.evaluate("__agentchart.connection")).toBe("open");
    await page.getByLabel("Connecting").waitFor();
    expect(await page.getByTestId("welcome").count()).toBe(0);
    released.resolve();
    await expect
      .poll(() => page.getByTestId("welcome").innerText())
      .toMatch(/No runs yet[^]*inspect: "auto"/);
    expect(await page.getByLabel("Connecting").count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("counts down while the hub is unresponsive and reconnects immediately on request", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    proxy.isOpen = false;
    const { page } = await env.open({ prepare });
    const welcome = page.getByTestId("welcome");
    await expect.poll(() => welcome.innerText()).toMatch(/not responding[^]*Retrying (in \d+ s|now)\./);
    await expect.poll(() => proxy.attempts).toBeGreaterThan(3);
    proxy.isOpen = true;
    await page.getByRole("button", { name: "Retry now" }).click();
    await expect.poll(() => welcome.innerText()).toContain("No runs yet");
  });

  test("names both protocol versions and the remedy if the hub is newer or older", async () => {
    for (const [proto, advice] of [
      [2, /page uses protocol version 1, the inspector uses version 2[^]*reload/],
      [0, /page uses protocol version 1, the inspector uses version 0[^]*update agentchart/],
    ] as const) {
      const { proxy, prepare } = makeConnectionProxy();
      proxy.toPage = (message) => (message.type === "welcome" ? { ...message, proto } : message);
      const { page } = await env.open({ prepare });
      await expect.poll(() => page.getByTestId("welcome").innerText()).toMatch(advice);
      expect(await page.getByTestId("refused").count()).toBe(0);
      expect(proxy.attempts).toBe(1);
    }
  });

  test("connects again after the hub closed its connection for want of a hello", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    proxy.isOpen = false;
    proxy.failure = { code: 4401, reason: NO_HELLO };
    const { page } = await env.open({ prepare });
    await expect.poll(() => proxy.attempts).toBeGreaterThan(1);
    proxy.isOpen = true;
    await expect.poll(() => page.getByTestId("welcome").innerText()).toContain("No runs yet");
  });

  test("learns the hub's protocol version even if its own is not supported", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const received: unknown[] = [];
    proxy.toHub = (message) => (message.type === "hello" ? { ...message, proto: 99 } : message);
    proxy.toPage = (message) => {
      received.push(message.type === "welcome" ? message.proto : message.type);
      return message.type === "welcome" ? { ...message, proto: 98 } : message;
    };
    const { page } = await env.open({ prepare });
    await expect
      .poll(() => page.getByTestId("welcome").innerText())
      .toContain("the inspector uses version 98");
    expect(received).toEqual([1]);
  });
});

describe("The page with a selected run", () => {
  test("says that it loads the run until steps of it have come, and that it has no messages only then", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const agent = parserFixer({ inspect: env.hub.address });
    await agent.call("Please mend the lexer.");
    proxy.toPage = (message) => (message.type === "steps" || message.type === "stream" ? undefined : message);
    const { page } = await env.open({ prepare, at: `${env.hub.link}/run/${agent.sessionId}` });
    for (const tab of ["Conversation", "Prompt"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expect.poll(() => page.getByRole("tabpanel").innerText()).toBe("Loading …");
    }
    await agent.close();
  });

  test("keeps its data after a disconnect, disables commands with the reason, and counts down to the next attempt", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const agent = parserFixer({ inspect: env.hub.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await env.open({ prepare });
    await ui.choose(agent.sessionId);
    const card = ui.pending("c5");
    const approve = card.getByRole("button", { name: /^Approve/ });
    await expect.poll(() => approve.isEnabled()).toBe(true);
    const connection = page.getByTestId("connection");
    await expect.poll(() => connection.getAttribute("data-tone")).toBe("green");
    await ui.waitForRest();
    const before = await ui.steps();

    proxy.isOpen = false;
    proxy.disconnect();
    const lost = page.getByTestId("lost");
    await expect.poll(() => lost.innerText()).toMatch(/Connection lost[^]*Retrying\s+(in \d+ s|now)/);
    expect(await ui.steps()).toEqual(before);
    expect(await ui.activeStates()).toContain("agent.suspended.waiting");
    expect(await approve.isDisabled()).toBe(true);
    expect(await card.getByTestId("disabled-reason").innerText()).toBe(
      "Not available: the inspector is not responding.",
    );
    expect(await connection.innerText()).toContain("not connected");
    expect(await connection.getAttribute("data-tone")).toBe("red");
    await ui.goTo(3);
    expect(await page.getByRole("button", { name: /^Fork/ }).isDisabled()).toBe(true);
    await page.keyboard.press("f");
    expect(await page.getByRole("dialog").count()).toBe(0);

    proxy.isOpen = true;
    await lost.getByRole("button", { name: "Retry now" }).click();
    await lost.waitFor({ state: "detached" });
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await expect.poll(() => connection.getAttribute("data-tone")).toBe("green");
    await agent.close();
  });

  test("stops the clocks of running services after a disconnect", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const held = new HeldModel();
    const agent = parserFixer({ model: held.model, inspect: env.hub.address });
    const turn = agent.call("Please mend the lexer.");
    const { page, ui } = await env.open({ prepare });
    await ui.choose(agent.sessionId);
    await held.requested(1);
    await expect.poll(() => ui.status()).toMatch(/^live/);
    const clock = page.locator('[data-service$="callModel"] .num');
    const before = await clock.innerText();
    await expect.poll(() => clock.innerText()).not.toBe(before);
    proxy.isOpen = false;
    proxy.disconnect();
    await page.getByTestId("lost").waitFor();
    expect(await ui.status()).toMatch(/^not connected/);
    await expect.poll(() => proxy.attempts).toBeGreaterThan(2);
    const stopped = await clock.innerText();
    await expect.poll(() => proxy.attempts).toBeGreaterThan(3);
    expect(await clock.innerText()).toBe(stopped);
    expect(await page.locator("[data-is-working]").count()).toBe(0);
    held.send({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
    await turn;
    await agent.close();
  });

  test("says how to get a new link if the hub restarts with another token", async () => {
    const home = makeHome();
    const first = await startHub(home);
    const { port } = new URL(first.url);
    const agent = parserFixer({ inspect: first.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await env.open({ at: first.link });
    await ui.choose(agent.sessionId);
    await first.stop();
    const second = await startHub(home, ["--port", port]);
    expect(second.token).not.toBe(first.token);
    const refused = page.getByTestId("refused");
    await expect.poll(() => refused.innerText()).toMatch(/link that it printed.*npx agentchart inspect/);
    expect(await ui.activeStates()).toContain("agent.suspended.waiting");
    expect(await ui.pending("c5").getByTestId("disabled-reason").innerText()).toContain(
      "no longer connected",
    );
    const welcome = page.getByTestId("welcome");
    await page.goto(second.link); // in the same tab, where only the fragment differs
    await expect.poll(() => welcome.innerText()).toContain("No runs yet");
    expect(page.url()).toBe(`${second.url}/#/`);
    await page.goto(first.link);
    await expect.poll(() => welcome.innerText()).toMatch(/no longer valid[^]*npx agentchart inspect/);
    await agent.close();
    await second.stop();
    home.remove();
  });

  test("names both protocol versions if the hub restarts with another version", async () => {
    const { proxy, prepare } = makeConnectionProxy();
    const agent = parserFixer({ inspect: env.hub.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await env.open({ prepare });
    await ui.choose(agent.sessionId);
    proxy.toPage = (message) => (message.type === "welcome" ? { ...message, proto: 2 } : message);
    proxy.disconnect();
    await expect
      .poll(() => page.getByTestId("refused").innerText())
      .toMatch(/version 1, the inspector uses version 2.*reload/);
    expect(await ui.activeStates()).toContain("agent.suspended.waiting");
    await agent.close();
  });
});
