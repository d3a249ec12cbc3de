import type { Plan, Subtask } from "./plan.ts";

const MARKS = {
  todo: "[ ]",
  in_progress: "[ ] (in progress)",
  done: "[x]",
  abandoned: "[-] (abandoned)",
} as const;

const iso = (at: number): string => new Date(at).toISOString();

/** A subtask as one line of a list. */
function line({ name, state }: Subtask, index: number): string {
  return `${index}. ${MARKS[state]} ${name}`;
}

/** A subtask with all that is known of it. */
export function subtaskText({
  name,
  description,
  expectedOutcome,
  state,
  outcome,
  finishedAt,
}: Subtask): string {
  return [
    `Name: ${name}`,
    `State: ${state}`,
    `Description: ${description}`,
    `Expected outcome: ${expectedOutcome}`,
    ...(outcome === null ? [] : [`Outcome: ${outcome}`]),
    ...(finishedAt === null ? [] : [`Finished at: ${iso(finishedAt)}`]),
  ].join("\n");
}

/** A plan with a line for each of its subtasks. */
export function planText({ name, description, expectedOutcome, state, subtasks, outcome }: Plan): string {
  return [
    `# ${name}`,
    `Description: ${description}`,
    `Expected outcome: ${expectedOutcome}`,
    `State: ${state}`,
    ...(outcome === null ? [] : [`Outcome: ${outcome}`]),
    "## Subtasks",
    ...subtasks.map(line),
  ].join("\n");
}

/** A plan of the history, with the id by which it is recovered. */
export function historyText({ id, name, description, state, outcome, createdAt }: Plan): string {
  return [
    `Plan named '${name}':`,
    `- ID: ${id}`,
    `- Created at: ${iso(createdAt)}`,
    `- Description: ${description}`,
    `- State: ${state}`,
    ...(outcome === null ? [] : [`- Outcome: ${outcome}`]),
  ].join("\n");
}
