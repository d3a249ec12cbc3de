// Checked by `npm run typecheck`, never run.
import { createActor, fromPromise, type StateMachine } from "xstate";
import { expectTypeOf } from "vitest";
import {
  agentMachine,
  sessionMachine,
  type AgentCommand,
  type AgentContext,
  type AgentMachine,
  type ModelInput,
  type ModelOutcome,
  type SessionMachine,
} from "agentchart/machines";
import type { vocabulary } from "../../machines/agent/vocabulary.ts";

/** What XState is told of a machine. */
type Told<Machine> =
  Machine extends StateMachine<
    infer Context,
    infer Event,
    infer _Children,
    infer Actor,
    infer Action,
    infer Guard,
    infer Delay,
    infer Value,
    infer Tag,
    infer Input,
    infer Output,
    infer Emitted,
    infer _Meta,
    infer Config,
    infer Schema
  >
    ? {
        context: Context;
        event: Event;
        actor: Omit<Actor, "logic">;
        action: Action;
        guard: Guard;
        delay: Delay;
        value: Value;
        tag: Tag;
        input: Input;
        output: Output;
        emitted: Emitted;
        config: Config;
        schema: Schema;
      }
    : never;

type Next = [never, 0, 1, 2, 3, 4, 5, 6];
/** The paths of what is `any` in a type, as deep as charts go; never if there is none. */
type Anys<T, Path extends string = "", Depth extends number = 6> = 0 extends 1 & T
  ? Path
  : Depth extends 0
    ? never
    : T extends readonly (infer Element)[]
      ? Anys<Element, `${Path}[]`, Next[Depth]>
      : T extends (...args: infer Args) => infer Result
        ? Anys<Args, `${Path}()`, Next[Depth]> | Anys<Result, `${Path}=>`, Next[Depth]>
        : T extends object
          ? { [K in keyof T & (string | number)]: Anys<T[K], `${Path}.${K}`, Next[Depth]> }[keyof T &
              (string | number)]
          : never;

// no `any`: the search finds one where there is one
type Hidden = {
  a: any;
  b: { c: (x: any) => string };
  d: readonly { e: any }[] | { f: { g: () => any } };
  h: string;
};
expectTypeOf<Anys<Hidden>>().toEqualTypeOf<".a" | ".b.c()[]" | ".d[].e" | ".d.f.g=>">();
expectTypeOf<Anys<Told<AgentMachine>>>().toBeNever();
expectTypeOf<Anys<Told<SessionMachine>>>().toBeNever();
expectTypeOf<Anys<Parameters<AgentMachine["provide"]>[0]["guards"]>>().toBeNever();

// what it does not search is what it should be
type Agent = Told<AgentMachine>;
type Session = Told<SessionMachine>;
expectTypeOf<Agent["context"]>().toEqualTypeOf<AgentContext>();
expectTypeOf<Extract<Agent["event"], AgentCommand>>().toEqualTypeOf<AgentCommand>();
expectTypeOf<Agent["guard"]["type"]>().toEqualTypeOf<keyof typeof vocabulary.guards>();
expectTypeOf<Agent["action"]["type"]>().toEqualTypeOf<
  keyof typeof vocabulary.updates | keyof typeof vocabulary.effects | "perform"
>();
expectTypeOf<Agent["actor"]["src"]>().toEqualTypeOf<
  "callModel" | "runTool" | "reviewCalls" | "checkBreakpoints" | "runHooks" | "commit"
>();
expectTypeOf<Session["guard"]["type"]>().toEqualTypeOf<
  "isDurable" | "isUnreadable" | "mayWait" | "mayLeave" | "isLeaseOver"
>();
expectTypeOf<Agent["tag"]>().toEqualTypeOf<"decision">();

// what is sent
const actor = createActor(agentMachine);
actor.send({ type: "run.shutdown", at: 0 });
// @ts-expect-error: there is no such event
actor.send({ type: "run.shutdwn", at: 0 });
// @ts-expect-error: an event has its fields
actor.send({ type: "run.shutdown" });
// @ts-expect-error: and no other ones
actor.send({ type: "run.shutdown", at: 0, after: 1 });
const { context } = actor.getSnapshot();
expectTypeOf(context).toEqualTypeOf<AgentContext>();
// @ts-expect-error: there is no such event
actor.getSnapshot().can({ type: "nonsense" });
// @ts-expect-error: there is no such tag
actor.getSnapshot().hasTag("decisions");
const life = createActor(sessionMachine);
life.send({ type: "lease.renewed", until: 1 });
// @ts-expect-error: there is no such event
life.send({ type: "lease.renwed", until: 1 });
// @ts-expect-error: an agent's events are not those of a session's life
life.send({ type: "run.shutdown", at: 0 });

// what is provided: by its name, with its own types
agentMachine.provide({
  guards: {
    isFinished: ({ context: now, event }) => {
      expectTypeOf(now).toEqualTypeOf<AgentContext>();
      expectTypeOf(event).toEqualTypeOf<Agent["event"]>();
      return now.calls.length > 0;
    },
  },
  actions: { perform: (_, { name }) => void expectTypeOf(name).toEqualTypeOf<string>() },
  actors: { callModel: fromPromise<ModelOutcome, ModelInput>(async () => Promise.reject(new Error("none"))) },
});
sessionMachine.provide({ guards: { isDurable: ({ context: now }) => now.isDurable } });
// @ts-expect-error: there is no such guard
agentMachine.provide({ guards: { nonsense: () => true } });
// @ts-expect-error: there is no such action
agentMachine.provide({ actions: { nonsense: () => {} } });
// @ts-expect-error: there is no such actor
agentMachine.provide({ actors: { nonsense: fromPromise(async () => {}) } });
// @ts-expect-error: there is no such guard
sessionMachine.provide({ guards: { nonsense: () => true } });
// @ts-expect-error: there is no such action
sessionMachine.provide({ actions: { nonsense: () => {} } });
// @ts-expect-error: there is no such actor
sessionMachine.provide({ actors: { nonsense: fromPromise(async () => {}) } });
// @ts-expect-error: a guard returns true or false
agentMachine.provide({ guards: { isFinished: () => "yes" } });
// @ts-expect-error: a service returns what its slot says
agentMachine.provide({ actors: { callModel: fromPromise(async () => 7) } });
// @ts-expect-error: a context has no such field
agentMachine.provide({ guards: { isFinished: ({ context: now }) => now.nonsense } });
