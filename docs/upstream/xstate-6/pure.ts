// What PureChart of test/laws/explorer/pure.ts is, for XState 6: a transition returns its effects, so no actor scope is needed.
import { initialTransition, transition } from "xstate-6";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AgentMachine, AgentSnapshot, ChartEvent, Step } from "../../../test/laws/explorer/pure.ts";
import type { StepTaken } from "./xstate-6.ts";

export * from "../../../test/laws/explorer/pure.ts";

type Effect = {
  readonly type: string;
  readonly args: readonly unknown[];
  readonly id: string;
  readonly src: string;
  readonly input: unknown;
  readonly actor: unknown;
};
type Result = readonly [AgentSnapshot, readonly Effect[]];
type Timer = { readonly name: string; readonly params?: { readonly until: number } };

export class PureChart {
  readonly machine: AgentMachine;
  readonly #taken: (edge: string) => void;
  readonly #timers = new WeakMap<AgentSnapshot, number | null>();

  constructor(machine: AgentMachine, _context: AgentContext, taken: (edge: string) => void = () => {}) {
    this.machine = machine;
    this.#taken = taken;
  }

  begin(context: AgentContext): Step {
    const [snapshot, effects] = initialTransition(
      this.machine as never,
      context as never,
    ) as unknown as Result;
    return this.#step(snapshot, [effects], null);
  }

  next(snapshot: AgentSnapshot, ...events: readonly ChartEvent[]): Step {
    const steps: (readonly Effect[])[] = [];
    const last = events.reduce((now, event) => {
      const result = transition(this.machine as never, now as never, { ...event } as never);
      const [next, effects] = result as unknown as Result;
      steps.push(effects);
      return next;
    }, snapshot);
    return this.#step(last, steps, this.timerOf(snapshot));
  }

  timerOf(snapshot: AgentSnapshot): number | null {
    return this.#timers.get(snapshot) ?? null;
  }

  #step(snapshot: AgentSnapshot, steps: readonly (readonly Effect[])[], armed: number | null): Step {
    if (snapshot.status === "error") throw snapshot.error;
    let timer = armed;
    for (const { type, args } of steps.flat()) {
      const [, data] = args ?? [];
      if (type === "stepTaken")
        for (const edge of (data as StepTaken<AgentContext>).step.edges) this.#taken(edge);
      if (type !== "perform") continue;
      const { name, params } = data as Timer;
      if (name === "armTimer") timer = params!.until;
      if (name === "disarmTimer") timer = null;
    }
    this.#timers.set(snapshot, timer);
    const children = snapshot.children as unknown as { readonly [id: string]: unknown };
    const started = steps
      .flat()
      .filter(({ type, id, actor }) => type === "@xstate.spawn" && children[id] === actor)
      .map(({ id, src, input }) => ({ id, src, input }));
    const last = steps.at(-1)?.find(({ type }) => type === "stepTaken")?.args[1];
    return { snapshot, started, timer, refused: (last as StepTaken<AgentContext> | undefined)?.step.refused };
  }
}
