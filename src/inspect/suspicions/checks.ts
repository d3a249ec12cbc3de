import {
  loop,
  repeatedCall,
  repeatedEffect,
  swallowedError,
  unknownTool,
  unusedTool,
} from "./call-checks.ts";
import { changedAnswer, changedArguments, changedResult, wideApproval } from "./change-checks.ts";
import { forgottenMessage, fullWindow, spentBudget } from "./limit-checks.ts";
import type { SuspicionCheck } from "./suspicion.ts";

/** The checks that every run is judged by. */
export const SUSPICIONS: readonly SuspicionCheck[] = Object.freeze([
  repeatedCall,
  loop,
  changedArguments,
  changedResult,
  changedAnswer,
  repeatedEffect,
  unknownTool,
  unusedTool,
  swallowedError,
  wideApproval,
  fullWindow,
  forgottenMessage,
  spentBudget,
]);
