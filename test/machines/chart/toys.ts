import type {
  ChartDefinition,
  Effect,
  NamesOf,
  StateDefinition,
} from "../../../machines/chart/definition.ts";
import { Resolver } from "../../../machines/chart/resolve.ts";

export type ToyContext = { readonly count: number; readonly notes: readonly string[] };

export const START: ToyContext = { count: 0, notes: [] };

const vocabulary = {
  guards: {
    isZero: ({ count }: ToyContext) => count === 0,
    isAbove: ({ count }: ToyContext, _: never, { limit }: { readonly limit: number }) => count > limit,
    divides: ({ count }: ToyContext, _: never, { by }: { readonly by: number }) => count % by === 0,
    never: () => false,
    /** Throws for every seventh count. */
    fails: ({ count }: ToyContext) => {
      if (count % 7 === 6) throw new Error(`The guard fails at ${count}.`);
      return count % 2 === 0;
    },
  },
  updates: {
    add: ({ count }: ToyContext, _: never, { by }: { readonly by: number }) => ({ count: count + by }),
    note: ({ notes }: ToyContext, _: never, { text }: { readonly text: string }) => ({
      notes: [...notes, text],
    }),
    /** Throws for every fifth count. */
    break: ({ count }: ToyContext) => {
      if (count % 5 === 4) throw new Error(`The update breaks at ${count}.`);
      return { count: count + 1 };
    },
  },
  effects: {
    /** Tells the host the count that the effect sees. */
    ring: ({ count }: ToyContext, _: never, { name }: { readonly name: string }): readonly Effect[] => [
      { type: "host", name, params: { count } },
    ],
    spawn: ({ count }: ToyContext, _: never, { id }: { readonly id: string }): readonly Effect[] => [
      { type: "spawn", src: "work", id, input: count },
    ],
    stop: (_context: ToyContext, _: never, { id }: { readonly id: string }): readonly Effect[] => [
      { type: "stop", id },
    ],
  },
  refusals: {
    closed: ({ count }: ToyContext) => ({ code: "toy/closed", message: `Closed at ${count}.` }),
  },
};

type ToyNames = NamesOf<typeof vocabulary>;
export type ToyState = StateDefinition<ToyContext, ToyNames>;

export const is = (by: number) => ({ type: "divides", params: { by } }) as const;
export const above = (limit: number) => ({ type: "isAbove", params: { limit } }) as const;
export const add = (by: number) => ({ type: "add", params: { by } }) as const;
export const note = (text: string) => ({ type: "note", params: { text } }) as const;
export const ring = (name: string) => ({ type: "ring", params: { name } }) as const;
export const spawn = (id: string) => ({ type: "spawn", params: { id } }) as const;
export const stop = (id: string) => ({ type: "stop", params: { id } }) as const;

/** A chart with the vocabulary of the toys. */
export const toyOf = (root: ToyState, id = "toy"): ChartDefinition<ToyContext> => ({
  id,
  vocabulary,
  root,
  context: () => START,
});

/** A definition that the types of the toys would not allow. */
export const brokenToyOf = (root: object): ChartDefinition<ToyContext> => toyOf(root as ToyState);

export const resolverOf = (root: ToyState): Resolver<ToyContext> => new Resolver(toyOf(root));

/** A state that only waits. */
export const waits = (more: Partial<ToyState> = {}): ToyState => ({ description: "Waits.", ...more });
