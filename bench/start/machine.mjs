// Prints the CPU µs of this process that go into making a machine: that of the agent, as the built package makes it when it is
// imported, with "chart" what goes into reading its chart, too, and with "bare" a machine of two states.
import { registerHooks } from "node:module";

let micros = 0;
function timed(make) {
  const before = process.cpuUsage();
  const made = make();
  const { user, system } = process.cpuUsage(before);
  micros += user + system;
  return made;
}

/** Times what the package makes of the chart of the agent: its machine, and before it a resolver. */
async function agentMachine(withResolver) {
  globalThis.makeResolver = (Resolver, chart) =>
    withResolver && chart.id === "agent" ? timed(() => new Resolver(chart)) : new Resolver(chart);
  globalThis.makeMachine = (machineOf, resolver, ...rest) =>
    resolver.chart.id === "agent" ? timed(() => machineOf(resolver, ...rest)) : machineOf(resolver, ...rest);
  let calls = 0;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.includes("/dist/") || url.includes("/node_modules/")) return loaded;
      const source = String(loaded.source)
        .replaceAll("= new Resolver(", () => (calls++, "= globalThis.makeResolver(Resolver, "))
        .replaceAll("= machineOf(", () => (calls++, "= globalThis.makeMachine(machineOf, "));
      return { ...loaded, source };
    },
  });
  await import("agentchart/machines");
  if (calls < 4) throw new Error("The package makes its machines otherwise by now.");
}

async function bareMachine() {
  const { assign, fromPromise, setup } = await import("xstate");
  timed(() =>
    setup({
      actors: { model: fromPromise(async () => {}), tool: fromPromise(async () => {}) },
      actions: { count: assign(({ context }) => ({ round: context.round + 1 })) },
      guards: { isOver: ({ context }) => context.round >= 200 },
    }).createMachine({
      context: { round: 0 },
      initial: "reasoning",
      states: {
        reasoning: {
          invoke: { src: "model", onDone: [{ guard: "isOver", target: "over" }, { target: "acting" }] },
        },
        acting: { invoke: { src: "tool", onDone: { target: "reasoning", actions: "count" } } },
        over: { type: "final" },
      },
    }),
  );
}

const [, , what] = process.argv;
await (what === "bare" ? bareMachine() : agentMachine(what === "chart"));
process.stdout.write(String(micros));
