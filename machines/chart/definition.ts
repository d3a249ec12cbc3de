// machines/chart defines charts as data, resolves them as pure functions, and makes XState machines of them.
import type { JsonObject } from "../../src/core/base/json.ts";

/** A value, or several of them in order. */
export type OneOrMore<T> = T | readonly T[];

/** A guard or an action by its name in the vocabulary, with parameters that are plain data. */
export type NameRef<Name extends string = string> =
  | Name
  | { readonly type: Name; readonly params: JsonObject };

/**
 * A transition, with the meaning that `guard`, `actions`, `target` and `reenter` have in XState 5. The target is the id of a state
 * or a decision, relative to the parent of its source, or absolute with a leading `#`.
 *
 * With `choose` the target is decided after the actions: the guards of its branches see the context that the actions have
 * made. In the XState configuration each branch is a transition, whose guard has the actions before it in `afterActions`.
 * `refuse` names the refusal with which a command is answered; nothing else may happen on such an edge, which is a forbidden
 * transition for XState, and it may not stand in a choice.
 */
export type Branch<Names extends VocabularyNames = VocabularyNames> = {
  readonly guard?: NameRef<Names["guard"]>;
  readonly actions?: OneOrMore<NameRef<Names["action"]>>;
  readonly target?: string;
  readonly choose?: readonly Branch<Names>[];
  readonly refuse?: Names["refusal"];
  /** Leaves and enters the source, too, if the target is the source or lies in it. Default: false. */
  readonly reenter?: boolean;
};

/** A service that runs while its state is active. Its outcome comes as `xstate.done.actor.<id>` or `xstate.error.actor.<id>`. */
export type Service<Context, Names extends VocabularyNames = VocabularyNames> = {
  /** The slot that is filled with an implementation. */
  readonly src: string;
  /** Default: `src`. */
  readonly id?: string;
  readonly input: (context: Context) => unknown;
  readonly onDone?: OneOrMore<Branch<Names>>;
  readonly onError?: OneOrMore<Branch<Names>>;
};

/** A state: it lasts until an event leads on. */
export type StateDefinition<Context, Names extends VocabularyNames = VocabularyNames> = {
  readonly description: string;
  /** Actions that run whenever the state is entered. */
  readonly entry?: OneOrMore<NameRef<Names["action"]>>;
  /** Effects that happen whenever the state is left; the context is that of before. */
  readonly exit?: OneOrMore<NameRef<Names["effect"]>>;
  readonly invoke?: OneOrMore<Service<Context, Names>>;
  /**
   * Branches by event type, or by a pattern: `tool.*` for `tool` and all types that begin with `tool.`, `*` for every event. The
   * type itself comes before the patterns, a longer pattern before a shorter one, and all of them before the state around.
   */
  readonly on?: { readonly [event: string]: OneOrMore<Branch<Names>> };
  /** The key of the inner state or decision that is entered first; required if there are inner states. */
  readonly initial?: string;
  readonly states?: {
    readonly [key: string]: StateDefinition<Context, Names> | DecisionDefinition<Names>;
  };
};

/** A decision: a choice that several edges lead to, which is a state with `always` in XState. It takes no time, so no session is ever
 *  seen in one. */
export type DecisionDefinition<Names extends VocabularyNames = VocabularyNames> = {
  readonly description: string;
  /** Updates of the context that come before the choice. */
  readonly entry?: OneOrMore<NameRef<Names["action"]>>;
  /** Branches in order; the first one whose guard holds is taken. Each leads to a target, and only the last has no guard. */
  readonly decide: readonly Branch<Names>[];
};

/** Something that happens outside of the context, as data: the engine performs it after the context has changed. */
export type Effect =
  | { readonly type: "spawn"; readonly src: string; readonly id: string; readonly input: unknown }
  | { readonly type: "stop"; readonly id: string }
  /** Filled by the composition root. */
  | { readonly type: "host"; readonly name: string; readonly params?: unknown };

/** The reason for which a command is refused, as data. */
export type Refusal = { readonly code: string; readonly message: string; readonly data?: JsonObject };

/** The names that a chart may use. */
export type VocabularyNames = {
  readonly guard: string;
  readonly action: string;
  readonly effect: string;
  readonly refusal: string;
};

/** The changes that an update returns. Its facts are told of the step; the context does not have them. */
export type Changed<Context> = Partial<Context> & { readonly facts?: readonly object[] };

/** Returns what an update makes of the context. */
export function withoutFacts<Context>({ facts: _, ...change }: Changed<Context>): object {
  return change;
}

/** The meaning of the names of a chart: pure functions of the context, the event and the parameters. */
export type Vocabulary<Context> = {
  readonly guards: { readonly [name: string]: (context: Context, event: never, params: never) => boolean };
  /** An update returns the fields of the context that change and, as `facts`, what it did. */
  readonly updates: {
    readonly [name: string]: (context: Context, event: never, params: never) => Changed<Context>;
  };
  readonly effects: {
    readonly [name: string]: (context: Context, event: never, params: never) => readonly Effect[];
  };
  readonly refusals: { readonly [name: string]: (context: Context, event: never) => Refusal };
};

/** The names of a vocabulary. */
export type NamesOf<V extends { readonly [part in "guards" | "updates" | "effects" | "refusals"]: object }> =
  {
    readonly guard: keyof V["guards"] & string;
    readonly action: (keyof V["updates"] | keyof V["effects"]) & string;
    readonly effect: keyof V["effects"] & string;
    readonly refusal: keyof V["refusals"] & string;
  };

/** A whole chart: its drawing and the vocabulary that its names are from. */
export type ChartDefinition<Context> = {
  readonly id: string;
  readonly vocabulary: Vocabulary<Context>;
  readonly root: StateDefinition<Context>;
  /** The context of an actor that is created without input. */
  readonly context: () => Context;
};
