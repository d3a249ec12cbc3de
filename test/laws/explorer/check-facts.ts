import { factsProblem } from "../../support/facts-problem.ts";
import type { Check } from "./memory.ts";

/** The facts of a step say all that it did. */
export const factsSuffice: Check = ({ before, move, after }) =>
  move.kind === "crash" // another process has loaded what there was
    ? undefined
    : factsProblem(before.snapshot.context, after.facts, after.snapshot.context);
