// The page over a system of XState actors without an agent: the list of its actors, their charts, and the events between them.
import { inspector } from "agentchart/inspect";
import { createWebSocketInspector } from "@statelyai/inspect";
import type { Page } from "playwright-core";
import {
  assign,
  createActor,
  createMachine,
  fromCallback,
  fromPromise,
  sendTo,
  setup,
  waitFor,
  type InspectionEvent,
} from "xstate";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { settled } from "./support/settled.ts";
import { textProblems } from "./support/text-geometry.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

const courier = setup({ types: { events: {} as { type: "deliver" } | { type: "arrived" } } }).createMachine({
  id: "courier",
  initial: "waiting",
  states: {
    waiting: { on: { deliver: "driving" } },
    driving: { after: { 5: "home" } },
    home: { type: "final" },
  },
});

/** An order with two regions, a payment that fails once, a courier of its own, and a clock. */
const shop = setup({
  types: { context: {} as { tries: number }, events: {} as { type: "order" } | { type: "tick" } },
  actors: {
    pay: fromPromise<string, { tries: number }>(async ({ input }) => {
      if (input.tries === 0) throw new Error("The card was declined.");
      return "paid";
    }),
    courier,
    clock: fromCallback(({ sendBack }) => sendBack({ type: "tick" })),
  },
  guards: { mayTryAgain: ({ context }) => context.tries < 2 },
  actions: { count: assign({ tries: ({ context }) => context.tries + 1 }) },
}).createMachine({
  id: "shop",
  context: { tries: 0 },
  initial: "open",
  states: {
    open: { invoke: { src: "clock", id: "clock" }, on: { order: "working" } },
    working: {
      type: "parallel",
      onDone: "delivered",
      states: {
        payment: {
          initial: "asking",
          states: {
            asking: {
              invoke: {
                src: "pay",
                id: "pay",
                input: ({ context }) => ({ tries: context.tries }),
                onDone: "paid",
                onError: [
                  { guard: "mayTryAgain", actions: "count", target: "asking", reenter: true },
                  "refused",
                ],
              },
            },
            paid: { type: "final" },
            refused: {},
          },
        },
        shipping: {
          initial: "packed",
          states: {
            packed: {
              invoke: { src: "courier", id: "courier", onDone: "shipped" },
              entry: sendTo("courier", { type: "deliver" }),
            },
            shipped: { type: "final" },
          },
        },
      },
    },
    delivered: { type: "final" },
  },
});

test("A system of actors is shown with its chart, its steps and its events, on a desk and on a phone", async () => {
  const made = inspector({ url: env.hub.address });
  const actor = createActor(shop, { inspect: made.inspect });
  actor.start();
  actor.send({ type: "order" });
  await waitFor(actor, ({ status }) => status === "done");
  try {
    const { page, faults } = await env.open();
    for (const name of ["shop", "pay", "courier", "clock"])
      await page.getByText(name, { exact: true }).first().waitFor();
    await page.getByText("shop", { exact: true }).first().click();
    await page.getByText("delivered", { exact: true }).filter({ visible: true }).first().waitFor();
    for (let back = 0; back < 3; back++) {
      await page.keyboard.press("k"); // events of one region
      await settled(page);
      expect(await page.getByText("Other edges of this step are not recorded.").count()).toBe(0);
    }
    await page.keyboard.press("l");
    await page.getByRole("button", { name: "Sequence" }).click();
    const sequence = page.getByRole("region", { name: "Sequence of events" });
    for (const event of ["began", "tick", "order", "deliver"])
      await sequence.getByText(event, { exact: true }).first().waitFor();
    await settled(page);
    const { overlaps, small, outside } = await textProblems(page);
    expect.soft({ overlaps, small, outside }).toEqual({ overlaps: [], small: [], outside: [] });
    expect.soft(await accessibilityProblems(page)).toEqual([]);
    const cut = `[...document.querySelectorAll(".sequence svg text")].filter((text) =>
      text.getBoundingClientRect().right > text.ownerSVGElement.getBoundingClientRect().right).map((text) => text.textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
    const all = await sequence.getByRole("option").evaluateAll((arrows) => arrows.map(({ id }) => id));
    const events = sequence.getByRole("listbox", { name: "Events" });
    await events.focus();
    for (const [key, place] of [
      ["Home", 0],
      ["ArrowDown", 1],
      ["End", -1],
      ["ArrowUp", -2],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => events.getAttribute("aria-activedescendant")).toBe(all.at(place));
    }
    await sequence.getByRole("button", { name: "pay failed" }).click();
    await page.getByText("The card was declined.").filter({ visible: true }).first().waitFor();
    expect(faults).toEqual(NO_FAULTS);

    const phone = await env.open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await phone.page.getByText("delivered", { exact: true }).filter({ visible: true }).first().waitFor();
    await settled(phone.page);
    const onPhone = await textProblems(phone.page);
    expect.soft([...onPhone.small, ...onPhone.outside]).toEqual([]);
    expect(phone.faults).toEqual(NO_FAULTS);
  } finally {
    await made.close();
  }
});

test("a machine is paused before its next event and goes on, and a promise cannot be", async () => {
  const counter = setup({
    types: { context: {} as { count: number } },
    actors: { never: fromPromise(() => new Promise<never>(() => {})) },
  }).createMachine({
    id: "counter",
    context: { count: 0 },
    invoke: { src: "never", id: "never" },
    on: { add: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  });
  const made = inspector({ url: env.hub.address });
  const actor = createActor(counter, { inspect: made.inspect });
  actor.start();
  actor.send({ type: "add" });
  const { page } = await env.open();
  const count = (): number => actor.getSnapshot().context.count;
  const choose = (name: string): Promise<void> => page.getByText(name, { exact: true }).first().click();
  await choose("counter");
  await page.getByRole("button", { name: /^Pause/ }).click();
  await page.getByTestId("notice").getByText("Paused: 0 events wait.").waitFor();
  actor.send({ type: "add" });
  actor.send({ type: "add" });
  expect(count()).toBe(1);
  await choose("never");
  await page.getByTestId("not-paused").waitFor();
  expect(await page.getByRole("button", { name: /^Pause/ }).count()).toBe(0);
  await choose("counter");
  await page.getByTestId("notice").getByText("Paused: 2 events wait.").waitFor();
  await page.getByRole("button", { name: /^Resume/ }).click();
  await expect.poll(count).toBe(3);
  await page.getByRole("button", { name: /^Pause/ }).click();
  await page.getByTestId("notice").waitFor();
  actor.send({ type: "add" });
  expect(count()).toBe(3);
  await made.close(); // nobody is there who could have it go on
  expect(count()).toBe(4);
  actor.stop();
});

test("a machine is paused at an event and in a state that the page names, which says what cannot be paused", async () => {
  const made = inspector({ url: env.hub.address });
  const actor = createActor(
    setup({ actors: { courier } }).createMachine({
      id: "depot",
      initial: "closed",
      invoke: { src: "courier", id: "courier" },
      states: { closed: { on: { open: "open" } }, open: { on: { close: "closed" } } },
    }),
    { inspect: made.inspect },
  );
  actor.start();
  const { page, faults } = await env.open();
  await page.getByText("depot", { exact: true }).first().click();
  const dialog = page.getByTestId("actor-breaks");
  const add = async (kind: string, name: string): Promise<void> => {
    await dialog.getByLabel("Stop at").selectOption(kind);
    await dialog.getByLabel("Its name").fill(name);
    await dialog.getByRole("button", { name: "Add the breakpoint" }).click();
    await dialog
      .getByRole("button", {
        name: `Remove ${kind === "event" ? "before the event" : "in the state"} ${name}`,
      })
      .waitFor();
  };
  await page.getByRole("button", { name: "Breakpoints" }).click();
  await dialog.getByText("This run has no breakpoints.").waitFor();
  await dialog.getByText("It cannot be paused between them.").waitFor();
  await add("event", "close");
  await add("state", "open");
  await settled(page);
  expect.soft(await accessibilityProblems(page)).toEqual([]);
  const names = await dialog
    .locator("datalist option")
    .evaluateAll((all) => all.map((each) => each.getAttribute("value")));
  expect(names).toEqual(["closed", "open"]);
  await dialog.getByRole("button", { name: "Close", exact: true }).click();

  for (const type of ["open", "close", "open"]) actor.send({ type });
  expect(actor.getSnapshot().value).toBe("open");
  await page.getByTestId("notice").getByText("Paused in open: 2 events wait.").waitFor();
  await page.getByRole("button", { name: /^Resume/ }).click();
  await expect.poll(() => actor.getSnapshot().value).toBe("open"); // it was closed, and is open again
  await page.getByTestId("notice").getByText("Paused in open: 0 events wait.").waitFor();
  await page.getByRole("button", { name: /^Resume/ }).click();
  await page.getByTestId("notice").waitFor({ state: "detached" });
  actor.send({ type: "close" });
  expect(actor.getSnapshot().value).toBe("open");
  await page.getByTestId("notice").getByText("Paused before close: 1 event waits.").waitFor();
  await page.getByRole("button", { name: "Breakpoints" }).click();
  await dialog.getByRole("button", { name: "Remove before the event close" }).click();
  await dialog.getByRole("button", { name: "Remove before the event close" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Resume/ }).click();
  await expect.poll(() => actor.getSnapshot().value).toBe("closed");
  expect(faults).toEqual(NO_FAULTS);
  await made.close();
  actor.stop();
});

/** Opens the run of an actor at its newest step, with what the event did. */
async function openEvent(name: string): Promise<Page> {
  const { page } = await env.open();
  await page.getByText(name, { exact: true }).first().click();
  await page.getByRole("tab", { name: "Event" }).click();
  return page;
}

test("of a machine that reports with @statelyai/inspect the page says that it cannot be paused, and which transitions nobody told", async () => {
  const url = /ws:\S+\/stately\?t=\S+/.exec(env.hub.output())![0];
  const reporter = createWebSocketInspector({ url });
  const turnstile = createMachine({
    id: "turnstile",
    initial: "locked",
    states: {
      locked: { on: { coin: [{ guard: "isGold", target: "open" }, { target: "open" }] } },
      open: { on: { push: "locked" } },
    },
  }).provide({ guards: { isGold: () => false } });
  const actor = createActor(turnstile, { inspect: reporter.inspect }).start();
  actor.send({ type: "coin" });
  const page = await openEvent("turnstile");
  await page
    .getByTestId("not-paused")
    .getByText("What observes this actor takes no commands, so it cannot be paused from here.")
    .waitFor();
  expect(await page.getByRole("button", { name: /^(?:Pause|Breakpoints)/ }).count()).toBe(0);
  await page.getByText("Nobody told which transitions were taken here.").waitFor();
  actor.send({ type: "push" }); // only one transition can have been taken
  await page.getByText("Transition", { exact: true }).waitFor();
  expect(await page.getByTestId("edges-not-recorded").count()).toBe(0);
  reporter.stop();
  await page.getByTestId("worker-lost").waitFor();
  actor.stop();
});

test("of a step of XState 6 with two transitions the page says that one may have preempted the other", async () => {
  const made = inspector({ url: env.hub.address });
  const region = { initial: "a", states: { a: { on: { leave: "#ship.away", stay: "b" } }, b: {} } };
  const ship = createMachine({
    id: "ship",
    initial: "docked",
    states: { docked: { type: "parallel", states: { left: region, right: region } }, away: {} },
  });
  const microsteps: object[] = [];
  const asXState6 = (event: InspectionEvent): void => {
    if (event.type === "@xstate.microstep") microsteps.push(...event._transitions);
    if (event.type !== "@xstate.snapshot") return;
    const told = { ...event, type: "@xstate.transition", microsteps: microsteps.splice(0), actions: [] };
    made.inspect(told as unknown as InspectionEvent);
  };
  const actor = createActor(ship, { inspect: asXState6 }).start();
  actor.send({ type: "leave" });
  const page = await openEvent("ship");
  await page
    .getByText(
      "Two regions went on with events here. XState 6 does not tell whether one preempted the other.",
    )
    .waitFor();
  await made.close();
  actor.stop();
});

test("systems with odd and very long names leave the page whole", async () => {
  const nested = (levels: number, name: string): object =>
    levels === 0 ? {} : { initial: name, states: { [name]: nested(levels - 1, name) } };
  const long = "x".repeat(100_000);
  const machines = {
    proto: {
      id: "__proto__",
      initial: "constructor",
      context: JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object,
      states: { constructor: { on: { go: "a|b|0" } }, "a|b|0": { on: { go: "a b" } }, "a b": {} },
    },
    empty: { id: "", initial: "a", states: { a: { on: { go: "b" } }, b: {} } },
    long: { id: long, initial: "a", states: { a: { on: { go: long } }, [long]: {} } },
    deep: { id: "deep", on: { "*": {} }, ...nested(300, "level") },
  };
  const made = inspector({ url: env.hub.address });
  const actors = Object.values(machines).map((config) => {
    const actor = createActor(createMachine(config as never), { inspect: made.inspect });
    actor.start();
    actor.send({ type: "go" });
    return actor;
  });
  const { page, faults } = await env.open();
  const rows = page.locator("[data-run]");
  const ofLong = rows.filter({ hasText: "xxxxxxxxxx" }).first();
  for (const row of [
    rows.filter({ hasText: "__proto__" }).first(),
    ofLong,
    rows.filter({ hasText: "deep" }).first(),
  ]) {
    await row.click();
    await page.getByRole("button", { name: /^Pause/ }).waitFor();
    await page.getByText("go", { exact: true }).filter({ visible: true }).first().waitFor();
    await page.keyboard.press("4");
    await settled(page);
    const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect.soft(width).toBeLessThanOrEqual(0);
  }
  expect(faults).toEqual(NO_FAULTS);
  await made.close();
  for (const actor of actors) actor.stop();
});
