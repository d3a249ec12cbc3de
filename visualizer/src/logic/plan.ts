import { isObject } from "../../../src/core/base/json.ts";
import { isOver } from "../../../src/kit/plan/subtasks.ts";
import type { Json, JsonObject, Plan, Subtask, Todo } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The states of a subtask, with the names that the page shows. */
export const STATE_NAMES: { readonly [state in Subtask["state"]]: string } = {
  todo: t("to do"),
  in_progress: t("in progress"),
  done: "done",
  abandoned: "abandoned",
};

/** A slot of a context. */
type SlotOf<T> = { readonly value: T; readonly revision: number };

function slotOf(context: JsonObject, name: string): SlotOf<Json> | undefined {
  const { slots } = context;
  const slot = isObject(slots) && Object.hasOwn(slots, name) ? (slots[name] as Json) : undefined;
  if (!isObject(slot)) return undefined;
  const { value = null, revision } = slot;
  return typeof revision === "number" ? { value, revision } : undefined;
}

const hasTexts = (value: JsonObject, ...names: readonly string[]): boolean =>
  names.every((name) => typeof value[name] === "string");
const isSubtask = (value: Json): boolean =>
  isObject(value) &&
  hasTexts(value, "name", "description", "expectedOutcome", "state") &&
  Object.hasOwn(STATE_NAMES, String(value["state"]));
const isPlan = (value: Json): boolean =>
  isObject(value) &&
  hasTexts(value, "name", "description", "expectedOutcome", "state") &&
  Array.isArray(value["subtasks"]) &&
  value["subtasks"].every((each: Json) => isSubtask(each));
const isTodo = (value: Json): boolean => isObject(value) && hasTexts(value, "content", "status");

/** The plan of a context and its revision; `other` if the slot holds something that is not a plan, or that the page has only in part. */
export function planOf(context: JsonObject): SlotOf<Plan | null> | "other" | undefined {
  const slot = slotOf(context, "plan");
  if (!slot) return undefined;
  return slot.value === null || isPlan(slot.value) ? (slot as SlotOf<Plan | null>) : "other";
}

/** The list of things to do of a context; undefined without one. */
export function todosOf(context: JsonObject): readonly Todo[] | undefined {
  const slot = slotOf(context, "todos");
  return slot && Array.isArray(slot.value) && slot.value.every((each: Json) => isTodo(each))
    ? (slot.value as readonly Todo[])
    : undefined;
}

/** A plan that a person begins: it has no name and no subtasks yet. */
export function emptyPlan(id: string, at: number): Plan {
  return {
    id,
    name: "",
    description: "",
    expectedOutcome: "",
    state: "todo",
    subtasks: [],
    createdAt: at,
    finishedAt: null,
    outcome: null,
  };
}

/** A subtask in another state: what is over has a time at which it ended. */
export function inState(subtask: Subtask, state: Subtask["state"], at: number): Subtask {
  return { ...subtask, state, finishedAt: isOver({ state }) ? (subtask.finishedAt ?? at) : null };
}

/** A subtask that is still empty. */
export function emptySubtask(at: number): Subtask {
  return {
    name: "",
    description: "",
    expectedOutcome: "",
    state: "todo",
    outcome: null,
    createdAt: at,
    finishedAt: null,
  };
}

/** True if an agent may have a plan: one with a slot for it, which is shown also before there is a plan. */
export function mayHavePlan(context: JsonObject | undefined, slots: readonly string[] = []): boolean {
  if (slots.includes("plan")) return true;
  return context !== undefined && (planOf(context) !== undefined || todosOf(context) !== undefined);
}

/** Returns the change that a person must still make before the plan can be saved. */
export function planProblem({ name, subtasks }: Plan): string | undefined {
  if (name.trim() === "") return t("The plan needs a name.");
  const nameless = subtasks.findIndex((each) => each.name.trim() === "");
  if (nameless >= 0) return t`Subtask ${nameless} needs a name.`;
  const running = subtasks.filter(({ state }) => state === "in_progress").length;
  return running > 1 ? t("Only one subtask may be in progress.") : undefined;
}
