import { isObject } from "../../core/base/json.ts";

/** A condition at which an actor of XState is paused: before an event of this type, or after the event with which it has come into this state.
 *  It is data, never code. Both are patterns, in which `*` stands for any characters and `?` for one. */
export type ActorBreak = { readonly event: string } | { readonly state: string };

/** The conditions that an actor has at most, and the characters of each. */
export const MAX_BREAKS = 50;
export const MAX_BREAK_TEXT = 200;

/** True for a list of {@link ActorBreak}. */
export function areActorBreaks(value: unknown): value is readonly ActorBreak[] {
  return Array.isArray(value) && value.length <= MAX_BREAKS && value.every(isActorBreak);
}

function isActorBreak(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [[name, text] = [], ...others] = Object.entries(value);
  return (
    others.length === 0 &&
    (name === "event" || name === "state") &&
    typeof text === "string" &&
    text !== "" &&
    text.length <= MAX_BREAK_TEXT
  );
}

/** The name of a state of a machine in an {@link ActorBreak}: its path, or its id if it has one of its own. */
export function stateName(id: string, root: string): string {
  return id.startsWith(`${root}.`) ? id.slice(root.length + 1) : id;
}
