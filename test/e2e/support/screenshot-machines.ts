import { inspector } from "agentchart/inspect";
import { assign, createActor, fromPromise, sendParent, setup, waitFor } from "xstate";
import { makeEnvironment } from "./environment.ts";
import type { ScreenshotTools } from "./screenshot-states.ts";

/** A bank that asks its customer, and tells the shop what came of it. */
const payment = setup({}).createMachine({
  id: "payment",
  initial: "waiting",
  states: {
    waiting: { on: { charge: "asking" } },
    asking: { after: { 40: "charged" }, on: { refuse: "refused" } },
    charged: { entry: sendParent({ type: "paid" }) },
    refused: { entry: sendParent({ type: "failed" }) },
  },
});

const order = setup({
  types: {} as { context: { items: number; cents: number } },
  actors: { payment, reserve: fromPromise(() => Promise.resolve("shelf 7")) },
  guards: { isEmpty: ({ context }) => context.items === 0 },
  actions: { charge: ({ system }) => system.get("payment").send({ type: "charge" }) },
}).createMachine({
  id: "order",
  initial: "cart",
  context: { items: 0, cents: 0 },
  invoke: { src: "payment", id: "payment", systemId: "payment" },
  states: {
    cart: {
      on: {
        add: {
          actions: assign({
            items: ({ context }) => context.items + 1,
            cents: ({ context }) => context.cents + 1_250,
          }),
        },
        checkout: [{ guard: "isEmpty", target: "cart" }, { target: "checkout" }],
      },
    },
    checkout: {
      initial: "reserving",
      states: {
        reserving: { invoke: { src: "reserve", onDone: "paying", onError: "#order.cancelled" } },
        paying: { entry: "charge", on: { paid: "#order.shipping" }, after: { 60_000: "#order.cancelled" } },
      },
      on: { cancel: "cancelled" },
    },
    shipping: { on: { delivered: "done" } },
    done: {},
    cancelled: { on: { retry: "cart" } },
  },
});

/** Takes the screenshot of a system of XState without an agent: its actors, its chart and the events between them. */
export async function shootMachines(shoot: ScreenshotTools["shoot"]): Promise<void> {
  const env = await makeEnvironment(); // without the agents of the other pictures
  const observer = inspector({ url: env.hub.address });
  const actor = createActor(order, { inspect: observer.inspect, systemId: "order" });
  actor.start();
  for (const type of ["checkout", "add", "add", "checkout"] as const) actor.send({ type });
  await waitFor(actor, (snapshot) => snapshot.matches("shipping"));
  const { page } = await env.open({
    picture: "map",
    colorScheme: "light",
    viewport: { width: 1600, height: 900 },
  });
  await page
    .locator("[data-run]")
    .filter({ has: page.getByText("order", { exact: true }) })
    .first()
    .click();
  await page.locator("svg.chart [data-state]").first().waitFor();
  await page.getByRole("button", { name: "Sequence" }).click();
  await page
    .getByRole("region", { name: "Sequence of events" })
    .locator("title")
    .filter({ hasText: "paid" })
    .first()
    .waitFor({ state: "attached" });
  await shoot(page, "xstate-light");
  actor.stop();
  await observer.close();
  await env.close();
}
