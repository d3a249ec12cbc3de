import { createMachine, sendTo, type AnyActorRef, type AnyStateMachine } from "xstate";

/** The machines that the shop starts, in the order in which each tells the next one. */
export const PARTS = ["search", "cart", "prices", "payment", "stock", "shipping", "mail"] as const;

const tell = (name: string): ReturnType<typeof sendTo> =>
  sendTo(({ system }) => system.get(name) as AnyActorRef, { type: "work" });

/** A machine of the app: it works when it is told to, tells the next one, and rests. */
function part(name: string, next: string | undefined): AnyStateMachine {
  return createMachine({
    id: name,
    initial: "idle",
    states: {
      idle: { on: { work: "busy" } },
      busy: { ...(next !== undefined && { entry: tell(next) }), after: { 5: "done" }, on: { stop: "done" } },
      done: {},
    },
  });
}

/** An app of eight machines: an order goes from one to the next. */
export const shopOfEight: AnyStateMachine = createMachine({
  id: "shop",
  initial: "open",
  invoke: PARTS.map((name) => ({ src: name, id: name, systemId: name })),
  states: { open: { on: { order: { target: "ordered", actions: tell("search") } } }, ordered: {} },
}).provide({ actors: Object.fromEntries(PARTS.map((name, at) => [name, part(name, PARTS[at + 1])])) });
