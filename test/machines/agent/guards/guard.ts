import type { AgentContext } from "../../../../machines/agent/context.ts";
import { vocabulary } from "../../../../machines/agent/vocabulary.ts";
import type { ChartEvent } from "../../../../src/testing/explorer/pure.ts";
import { contextOf, type Given } from "../at.ts";

/** A name of the vocabulary's guards. */
export type GuardName = keyof typeof vocabulary.guards;

/** A case that a guard judges: a context, and for some guards an event or parameters. */
export type Case = readonly [when: string, given: Given, event?: ChartEvent | undefined, params?: object];

/** Guards with the cases in which each holds, and those in which it does not. */
export type GuardTable = {
  readonly [name in GuardName]?: { readonly holds: readonly Case[]; readonly fails: readonly Case[] };
};

type Guard = (context: AgentContext, event?: ChartEvent, params?: object) => boolean;

/** The verdict of a guard. */
export function verdictOf(name: GuardName, [, given, event, params]: Case): boolean {
  const guard = vocabulary.guards[name] as Guard;
  return guard(contextOf(given), event, params);
}
