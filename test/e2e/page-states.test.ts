import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_HELLO } from "../../src/inspect/protocol/protocol.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/scene.ts";
import { makeTap } from "./support/tap.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.closePages());
afterAll(() => desk.close());

describe("Without any run the page", () => {
  test("shows its shape until the hub has said which runs there are, then how to get one", async () => {
    const { tap, prepare } = makeTap();
    const told = Promise.withResolvers<void>();
    tap.toPage = (message) => {
      if (message.type !== "runs") return message;
      void told.promise.then(() => tap.say(message));
      return undefined;
    };
    const { page, faults } = await desk.open({
      prepare: async (opened) => {
        await prepare(opened);
        await opened.route("**/api/runs*", async (route) => {
          await told.promise;
          await route.continue();
        });
      },
    });
    await expect.poll(() => page.evaluate("__agentchart.connection")).toBe("open");
    await page.getByLabel("Connecting").waitFor();
    expect(await page.getByTestId("welcome").count()).toBe(0);
    told.resolve();
    await expect.poll(() => page.getByTestId("welcome").innerText()).toMatch(/No run yet[^]*inspect: "auto"/);
    expect(await page.getByLabel("Connecting").count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("whose hub does not answer counts down, tries again at once if told to, and then goes on", async () => {
    const { tap, prepare } = makeTap();
    tap.isOpen = false;
    const { page } = await desk.open({ prepare });
    const welcome = page.getByTestId("welcome");
    await expect.poll(() => welcome.innerText()).toMatch(/does not answer[^]*Trying again (in \d+ s|now)\./);
    await expect.poll(() => tap.attempts).toBeGreaterThan(3);
    tap.isOpen = true;
    await page.getByRole("button", { name: "Try now" }).click();
    await expect.poll(() => welcome.innerText()).toContain("No run yet");
  });

  test("with a hub of a newer version says both, and to reload; with an older one, to update that", async () => {
    for (const [proto, advice] of [
      [2, /page speaks version 1, the inspector version 2[^]*reload/],
      [0, /page speaks version 1, the inspector version 0[^]*update agentchart/],
    ] as const) {
      const { tap, prepare } = makeTap();
      tap.toPage = (message) => (message.type === "welcome" ? { ...message, proto } : message);
      const { page } = await desk.open({ prepare });
      await expect.poll(() => page.getByTestId("welcome").innerText()).toMatch(advice);
      expect(await page.getByTestId("refused").count()).toBe(0);
      expect(tap.attempts).toBe(1);
    }
  });

  test("that was too slow to say who it is says it again", async () => {
    const { tap, prepare } = makeTap();
    tap.isOpen = false;
    tap.failure = { code: 4401, reason: NO_HELLO };
    const { page } = await desk.open({ prepare });
    await expect.poll(() => tap.attempts).toBeGreaterThan(1);
    tap.isOpen = true;
    await expect.poll(() => page.getByTestId("welcome").innerText()).toContain("No run yet");
  });

  test("of another version is told the hub's by the hub itself", async () => {
    const { tap, prepare } = makeTap();
    const said: unknown[] = [];
    tap.toHub = (message) => (message.type === "hello" ? { ...message, proto: 99 } : message);
    tap.toPage = (message) => {
      said.push(message.type === "welcome" ? message.proto : message.type);
      return message.type === "welcome" ? { ...message, proto: 98 } : message;
    };
    const { page } = await desk.open({ prepare });
    await expect.poll(() => page.getByTestId("welcome").innerText()).toContain("the inspector version 98");
    expect(said).toEqual([1]);
  });
});

describe("With a run before it, the page", () => {
  test("that loses the hub keeps its data, turns off what asks, says why, and counts down", async () => {
    const { tap, prepare } = makeTap();
    const agent = parserFixer({ inspect: desk.hub.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await desk.open({ prepare });
    await ui.choose(agent.sessionId);
    const card = ui.pending("c5");
    const approve = card.getByRole("button", { name: /^Approve/ });
    await expect.poll(() => approve.isEnabled()).toBe(true);
    const connection = page.getByTestId("connection");
    await expect.poll(() => connection.getAttribute("data-tone")).toBe("green");
    await ui.rests();
    const before = await ui.step();

    tap.isOpen = false;
    tap.cut();
    const lost = page.getByTestId("lost");
    await expect.poll(() => lost.innerText()).toMatch(/does not answer[^]*Trying again\s+(in \d+ s|now)/);
    expect(await ui.step()).toEqual(before);
    expect(await ui.active()).toContain("agent.suspended.waiting");
    expect(await approve.isDisabled()).toBe(true);
    expect(await card.getByTestId("hindrance").innerText()).toBe(
      "Nothing can be answered now: the inspector does not answer.",
    );
    expect(await connection.innerText()).toContain("not connected");
    expect(await connection.getAttribute("data-tone")).toBe("red");
    await ui.goTo(3);
    expect(await page.getByRole("button", { name: /^Fork/ }).isDisabled()).toBe(true);
    await page.keyboard.press("f");
    expect(await page.getByRole("dialog").count()).toBe(0);

    tap.isOpen = true;
    await lost.getByRole("button", { name: "Try now" }).click();
    await lost.waitFor({ state: "detached" });
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await expect.poll(() => connection.getAttribute("data-tone")).toBe("green");
    await agent.close();
  });

  test("that loses the hub while the run goes on shows no clock as if it knew", async () => {
    const { tap, prepare } = makeTap();
    const held = new HeldModel();
    const agent = parserFixer({ model: held.model, inspect: desk.hub.address });
    const asked = agent.call("Please mend the lexer.");
    const { page, ui } = await desk.open({ prepare });
    await ui.choose(agent.sessionId);
    await held.asked(1);
    await expect.poll(() => ui.standing()).toMatch(/^live/);
    const chip = page.locator('[data-service$="callModel"] .num');
    const before = await chip.innerText();
    await expect.poll(() => chip.innerText()).not.toBe(before);
    tap.isOpen = false;
    tap.cut();
    await page.getByTestId("lost").waitFor();
    expect(await ui.standing()).toMatch(/^not connected/);
    await expect.poll(() => tap.attempts).toBeGreaterThan(2);
    const stopped = await chip.innerText();
    await expect.poll(() => tap.attempts).toBeGreaterThan(3);
    expect(await chip.innerText()).toBe(stopped);
    expect(await page.locator("[data-is-working]").count()).toBe(0);
    held.give({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
    await asked;
    await agent.close();
  });

  test("whose hub comes back with another token says how to get a fresh link", async () => {
    const home = makeHome();
    const first = await startHub(home);
    const { port } = new URL(first.url);
    const agent = parserFixer({ inspect: first.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await desk.open({ at: first.link });
    await ui.choose(agent.sessionId);
    await first.stop();
    const second = await startHub(home, ["--port", port]);
    expect(second.token).not.toBe(first.token);
    const refused = page.getByTestId("refused");
    await expect.poll(() => refused.innerText()).toMatch(/link that it printed.*npx agentchart inspect/);
    expect(await ui.active()).toContain("agent.suspended.waiting");
    expect(await ui.pending("c5").getByTestId("hindrance").innerText()).toContain("no longer connected");
    await page.reload();
    await expect
      .poll(() => page.getByTestId("welcome").innerText())
      .toMatch(/no longer good[^]*npx agentchart inspect/);
    await agent.close();
    await second.stop();
    home.remove();
  });

  test("whose hub comes back in another version says both", async () => {
    const { tap, prepare } = makeTap();
    const agent = parserFixer({ inspect: desk.hub.address });
    await agent.call("Please mend the lexer.");
    const { page, ui } = await desk.open({ prepare });
    await ui.choose(agent.sessionId);
    tap.toPage = (message) => (message.type === "welcome" ? { ...message, proto: 2 } : message);
    tap.cut();
    await expect
      .poll(() => page.getByTestId("refused").innerText())
      .toMatch(/version 1, the inspector version 2.*reload/);
    expect(await ui.active()).toContain("agent.suspended.waiting");
    await agent.close();
  });
});
