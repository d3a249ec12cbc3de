import { pathToStateValue, type AnyMachineSnapshot, type Snapshot, type StateValue } from "xstate";
import { AgentError } from "../../src/core/base/error.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { hashInput } from "../../src/core/base/hash.ts";
import { statePath } from "./nodes.ts";
import type { Resolver } from "./resolve.ts";

/** The functions that write a context into a persisted snapshot, and read it from there. */
export type Persistence<Context> = {
  /** Snapshots of another version are refused. */
  readonly version: string;
  /** The context as plain JSON. */
  write(context: Context): JsonObject;
  /** The context that was written. */
  read(context: JsonObject): Context;
  /** The input that a service was started with, as far as JSON holds it. */
  readInput(input: unknown, context: Context): unknown;
};

type Child = { readonly src: string; readonly snapshot: { readonly input?: unknown } };
type Persisted = {
  readonly chart: string;
  readonly version: unknown;
  readonly value: StateValue;
  readonly context: JsonObject;
  readonly children: { readonly [id: string]: Child };
};

const digestOf = ({ digest: _, ...rest }: JsonObject): string => hashInput(rest).slice(0, 32);

/** A persisted snapshot as plain JSON, with a digest by which a change of it is found. */
export function sealed(snapshot: object): Snapshot<unknown> {
  const plain = JSON.parse(JSON.stringify(snapshot)) as JsonObject;
  return { ...plain, digest: digestOf(plain) } as unknown as Snapshot<unknown>;
}

/** True for what was sealed and is as it was. */
export const isWhole = (snapshot: object): boolean =>
  (snapshot as JsonObject)["digest"] === digestOf(snapshot as JsonObject);

/** The snapshot that was sealed, as XState restores it. */
export function opened<Context extends object>(
  snapshot: Snapshot<unknown>,
  { chart, nodes }: Resolver<Context>,
  persistence: Persistence<Context>,
  actors: object,
): AnyMachineSnapshot {
  const damaged = (found: string): never => {
    throw new AgentError(
      "session/damaged",
      `A persisted snapshot of the machine '${chart.id}' was expected; found ${found}.`,
    );
  };
  if (snapshot === null || typeof snapshot !== "object" || Array.isArray(snapshot)) damaged("no object");
  const { chart: of, version, value, context, children } = snapshot as unknown as Persisted;
  if (of !== chart.id) damaged(typeof of === "string" ? `one of '${of.slice(0, 100)}'` : "another value");
  if (version !== persistence.version)
    throw new AgentError(
      "session/version",
      `The persisted snapshot: version ${persistence.version} expected, found ${String(version).slice(0, 100)}.`,
    );
  if (!isWhole(snapshot)) damaged("one that was changed or cut");
  const path = statePath(value);
  const node = nodes.get(`${chart.id}.${path}`);
  if (!node || node.kind === "decision" || node.children.length > 0) damaged(`the unknown state '${path}'`);
  const unknown = Object.values(children).find(({ src }) => !Object.hasOwn(actors, src));
  if (unknown) damaged(`the unknown service '${unknown.src}'`);
  const revived = persistence.read(context);
  return {
    ...snapshot,
    value: pathToStateValue(path.split(".")),
    context: revived,
    children: Object.fromEntries(
      Object.entries(children).map(([id, child]) => [id, withInput(child, persistence, revived)]),
    ),
  } as unknown as AnyMachineSnapshot;
}

function withInput<Context>(child: Child, persistence: Persistence<Context>, context: Context): Child {
  const { snapshot } = child;
  if (snapshot.input === undefined) return child;
  return { ...child, snapshot: { ...snapshot, input: persistence.readInput(snapshot.input, context) } };
}
