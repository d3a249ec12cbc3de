import {
  assign,
  createActor,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  raise,
  sendParent,
  sendTo,
  setup,
  SimulatedClock,
  type AnyActorRef,
  type AnyStateMachine,
  type InspectionEvent,
  type Subscribable,
} from "xstate";

/** A machine that shows a part of XState's documentation, and what is done with it. */
export type Documented = {
  readonly machine: AnyStateMachine;
  /** Drives the actor; `pass` lets time of its clock pass, and `settled` waits for promises. */
  readonly drive?: (
    actor: { send(event: { readonly type: string; readonly [field: string]: unknown }): void },
    clock: { pass(ms: number): void; settled(): Promise<void> },
  ) => Promise<void> | void;
};

/** Delays, nested states and entries again. */
const crossing: Documented = {
  machine: setup({ delays: { green: 3_000, yellow: () => 500 } }).createMachine({
    id: "crossing",
    initial: "go",
    context: { cycles: 0 },
    entry: () => {},
    states: {
      go: { tags: "green", after: { green: "slow" } },
      slow: { after: { yellow: "halt" } },
      halt: {
        initial: "walk",
        states: {
          walk: { after: { 1_000: "blink" } },
          blink: { after: { 500: "done" } },
          done: { type: "final" },
        },
        onDone: {
          target: "go",
          actions: assign({
            cycles: ({ context }: { context: { cycles: number } }) => context.cycles + 1,
          }) as never,
        },
        on: { "button.pressed": { target: ".walk", reenter: true } },
      },
    },
  }),
  drive: (actor, { pass }) => {
    pass(3_500);
    actor.send({ type: "button.pressed", by: "a pedestrian" });
    pass(1_600);
    pass(3_000);
  },
};

/** Parallel regions, a guard on another region, and a transition of the whole. */
const editor: Documented = {
  machine: setup({
    types: {} as { context: { text: string; saves: number }; events: { type: string; text?: string } },
    guards: {
      isEmpty: ({ context }) => context.text === "",
      isLong: ({ context }) => context.text.length > 4,
    },
    actions: { note: () => {} },
  }).createMachine({
    id: "editor",
    type: "parallel",
    context: { text: "", saves: 0 },
    states: {
      content: {
        initial: "clean",
        states: {
          clean: {
            on: { type: { target: "dirty", actions: assign({ text: ({ event }) => event.text ?? "" }) } },
          },
          dirty: {
            on: {
              save: [
                { guard: "isEmpty", actions: "note" },
                {
                  guard: "isLong",
                  target: "clean",
                  actions: assign({ saves: ({ context }) => context.saves + 1 }),
                },
                { target: "clean" },
              ],
            },
          },
        },
      },
      style: {
        initial: "plain",
        states: { plain: { on: { bold: "bold", save: { guard: "isEmpty", target: "bold" } } }, bold: {} },
      },
    },
    on: {
      reset: { target: [".content.clean", ".style.plain"] as never, actions: "note" },
      "*": { actions: "note" },
    },
  }),
  drive: (actor) => {
    for (const event of [
      { type: "save" },
      { type: "type", text: "Hello" },
      { type: "bold" },
      { type: "save" },
      { type: "type", text: "" },
      { type: "save" },
      { type: "unknown" },
    ])
      actor.send(event);
  },
};

/** Shallow and deep history. */
const player: Documented = {
  machine: setup({}).createMachine({
    id: "player",
    initial: "on",
    states: {
      on: {
        initial: "radio",
        states: {
          radio: { initial: "fm", states: { fm: { on: { band: "am" } }, am: {} }, on: { source: "disc" } },
          disc: { on: { source: "radio" } },
          last: { type: "history" },
          exact: { type: "history", history: "deep" },
        },
        on: { power: "off" },
      },
      off: { on: { power: "on.last", resume: "on.exact" } },
    },
  }),
  drive: (actor) => {
    for (const type of ["band", "power", "resume", "power", "power", "source", "power", "power"])
      actor.send({ type });
  },
};

/** A promise that fails once, and a guard that counts attempts. */
const loading: Documented = {
  machine: setup({
    types: {} as { context: { attempts: number; data: string | null } },
    actors: {
      load: fromPromise(async ({ input }: { input: { attempt: number } }) => {
        if (input.attempt < 2) throw new TypeError("The server is busy.");
        return "42 rows";
      }),
    },
    guards: { canRetry: ({ context }) => context.attempts < 3 },
  }).createMachine({
    id: "loading",
    initial: "loading",
    context: { attempts: 1, data: null },
    states: {
      loading: {
        invoke: {
          src: "load",
          input: ({ context }) => ({ attempt: context.attempts }),
          onDone: { target: "loaded", actions: assign({ data: ({ event }) => event.output }) },
          onError: [{ guard: "canRetry", target: "waiting" }, { target: "failed" }],
        },
      },
      waiting: { after: { 1_000: { target: "loading", actions: assign({ attempts: 2 }) } } },
      loaded: { type: "final" },
      failed: { type: "final" },
    },
    output: ({ context }) => ({ data: context.data }),
  }),
  drive: async (_actor, { pass, settled }) => {
    await settled();
    pass(1_000);
    await settled();
  },
};

/** A callback that sends to its parent and is told by it. */
const stopwatch: Documented = {
  machine: setup({
    types: {} as { context: { ticks: number } },
    actors: {
      ticker: fromCallback(({ sendBack, receive }) => {
        sendBack({ type: "tick" });
        receive((event) => {
          if (event.type === "again") sendBack({ type: "tick" });
        });
      }),
    },
  }).createMachine({
    id: "stopwatch",
    initial: "stopped",
    context: { ticks: 0 },
    states: {
      stopped: { on: { start: "running" } },
      running: {
        invoke: { src: "ticker", id: "ticker" },
        on: {
          stop: "stopped",
          more: { actions: sendTo("ticker", { type: "again" }) },
          tick: { actions: assign({ ticks: ({ context }) => context.ticks + 1 }) },
        },
      },
    },
  }),
  drive: (actor) => {
    for (const type of ["start", "more", "more", "stop", "start"]) actor.send({ type });
  },
};

const moves: Subscribable<{ readonly x: number }> = {
  subscribe(given: unknown) {
    const observer = given as { next(value: unknown): void; complete(): void };
    for (const x of [1, 5, 9]) observer.next({ x });
    observer.complete();
    return { unsubscribe: () => {} };
  },
} as never;

/** An observable whose values are followed. */
const drawing: Documented = {
  machine: setup({ actors: { moves: fromObservable(() => moves) } }).createMachine({
    id: "drawing",
    initial: "dragging",
    context: { at: 0 },
    states: {
      dragging: {
        invoke: {
          src: "moves",
          id: "moves",
          systemId: "pointer",
          onSnapshot: {
            actions: assign({
              at: ({ event }: { event: { snapshot: { context?: { x: number } } } }) =>
                event.snapshot.context?.x ?? 0,
            }) as never,
          },
          onDone: "dropped",
        },
      },
      dropped: {},
    },
  }),
};

/** Transition logic as a child, and events that a machine raises for itself. */
const counting: Documented = {
  machine: setup({
    actors: {
      counter: fromTransition(
        (count: number, event: { type: string }) => (event.type === "inc" ? count + 1 : count),
        0,
      ),
    },
  }).createMachine({
    id: "counting",
    initial: "on",
    invoke: { src: "counter", id: "counter" },
    states: {
      on: {
        on: {
          twice: { actions: [sendTo("counter", { type: "inc" }), raise({ type: "once" })] },
          once: { actions: sendTo("counter", { type: "inc" }), target: "off" },
        },
      },
      off: { on: { once: "on" } },
    },
  }),
  drive: (actor) => {
    actor.send({ type: "twice" });
    actor.send({ type: "once" });
    actor.send({ type: "twice" });
  },
};

const todo = setup({
  types: {} as { context: { title: string }; input: { title: string }; events: { type: string } },
}).createMachine({
  id: "todo",
  initial: "open",
  context: ({ input }) => ({ title: input.title }),
  states: {
    open: { on: { check: "checked", remove: "removed" } },
    checked: { entry: sendParent({ type: "todo.checked" }), on: { remove: "removed" } },
    removed: { type: "final" },
  },
});

/** Spawned machines in the context. */
const todos: Documented = {
  machine: setup({
    types: {} as {
      context: { refs: readonly AnyActorRef[]; checked: number };
      events: { type: string; title?: string };
    },
    actors: { todo },
  }).createMachine({
    id: "todos",
    context: { refs: [], checked: 0 },
    on: {
      add: {
        actions: assign({
          refs: ({ context, spawn, event }) => [
            ...context.refs,
            spawn("todo", { id: `todo-${context.refs.length}`, input: { title: event.title ?? "" } }),
          ],
        }),
      },
      check: { actions: sendTo(({ context }) => context.refs[0]!, { type: "check" }) },
      remove: { actions: sendTo(({ context }) => context.refs[1]!, { type: "remove" }) },
      "todo.checked": { actions: assign({ checked: ({ context }) => context.checked + 1 }) },
    },
  }),
  drive: (actor) => {
    actor.send({ type: "add", title: "Write" });
    actor.send({ type: "add", title: "Read" });
    actor.send({ type: "check" });
    actor.send({ type: "remove" });
  },
};

/** Choices without an event, a guard that is made of others, and an output. */
const checkout: Documented = {
  machine: setup({
    types: {} as { context: { total: number; member: boolean }; input: { total: number; member: boolean } },
    guards: {
      isFree: ({ context }) => context.total === 0,
      isMember: ({ context }) => context.member,
      above: ({ context }, { cents }: { cents: number }) => context.total > cents,
    },
  }).createMachine({
    id: "checkout",
    initial: "judging",
    context: { total: 9_900, member: true },
    states: {
      judging: {
        always: [
          { guard: "isFree", target: "done" },
          { guard: { type: "above", params: { cents: 100_000 } }, target: "asking" },
          { guard: "isMember", target: "discount" },
          { target: "paying" },
        ],
      },
      asking: {},
      discount: {
        entry: assign({ total: ({ context }) => context.total / 2 }),
        always: { guard: { type: "above", params: { cents: 0 } }, target: "paying" },
      },
      paying: { on: { pay: "done" } },
      done: { type: "final" },
    },
    output: ({ context }) => context.total,
  }),
  drive: (actor) => {
    actor.send({ type: "pay" });
  },
};

const pong = setup({}).createMachine({
  id: "pong",
  initial: "waiting",
  states: {
    waiting: { on: { ping: { actions: sendTo(({ system }) => system.get("referee"), { type: "point" }) } } },
  },
});
const ping = setup({ actors: { pong } }).createMachine({
  id: "ping",
  initial: "serving",
  invoke: { src: "pong", id: "pong" },
  states: {
    serving: { on: { serve: { actions: sendTo("pong", { type: "ping" }, { delay: 100 }) } } },
  },
});

/** Actors three deep that find each other by their names in the system, and one that fails in the middle of an event. */
const match: Documented = {
  machine: setup({
    actors: {
      ping,
      referee: setup({
        actions: {
          shout: () => {
            throw new RangeError("The whistle broke.");
          },
        },
      }).createMachine({
        id: "referee",
        initial: "counting",
        states: {
          counting: { on: { point: "deciding" } },
          deciding: { on: { point: { actions: "shout" } } },
        },
      }),
    },
  }).createMachine({
    id: "match",
    initial: "playing",
    states: {
      playing: {
        invoke: [
          { src: "ping", id: "ping" },
          { src: "referee", id: "referee", systemId: "referee", onError: "abandoned" },
        ],
        on: { serve: { actions: sendTo("ping", { type: "serve" }) } },
      },
      abandoned: {},
    },
  }),
  drive: (actor, { pass }) => {
    for (let served = 0; served < 2; served++) {
      actor.send({ type: "serve" });
      pass(100);
    }
  },
};

/** Machines after the subjects of XState's documentation. */
export const DOCUMENTED: { readonly [name: string]: Documented } = {
  crossing,
  editor,
  player,
  loading,
  stopwatch,
  drawing,
  counting,
  todos,
  checkout,
  match,
};

/** Runs a machine as its documentation does. */
export async function runDocumented(
  { machine, drive }: Documented,
  inspect: (event: InspectionEvent) => void,
): Promise<void> {
  const clock = new SimulatedClock();
  const actor = createActor(machine, { inspect, clock, input: {} });
  actor.start();
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  await drive?.(actor as never, { pass: (ms) => clock.increment(ms), settled });
  actor.stop();
}
