import { rulesHold } from "./check-rules.ts";
import { goesOnAnswered, resumptionIsKept } from "./check-asks.ts";
import { limitsHold, permissionHolds, servicesFit } from "./check-calls.ts";
import {
  clockRuns,
  eventsCount,
  reasonFits,
  refusalChangesNothing,
  stopIsHonoured,
  turnSettles,
  waitingIsDelivered,
} from "./check-ending.ts";
import { historyIsValid, messagesAreKept, resultsAreKept, transcriptGrows } from "./check-history.ts";
import { factsSuffice } from "./check-facts.ts";
import { handedOverAsAsked, personaIsAsked } from "./check-handoff.ts";
import { slotsAreKept, writersAreAlone } from "./check-slots.ts";
import {
  forcedOnce,
  pairsAreWhole,
  questionIsShown,
  requestsGrow,
  restoresView,
  summaryIsNoStep,
  transcriptHasNoSummary,
  viewIsEarned,
} from "./check-view.ts";
import { innerDecisionsFit, innerUseCountsOnce } from "./check-inner.ts";
import type { Problem } from "../../../src/testing/explorer/walk.ts";
import { isRefusal } from "../../../src/testing/explorer/transition.ts";
import type { Check, Transition } from "./memory.ts";

const CHECKS: readonly (readonly [string, Check])[] = [
  ["I2", historyIsValid],
  ["I3", eventsCount],
  ["I4", messagesAreKept],
  ["I4", transcriptGrows],
  ["I5", resultsAreKept],
  ["I5", resumptionIsKept],
  ["asks", goesOnAnswered],
  ["asks", innerDecisionsFit],
  ["I8", innerUseCountsOnce],
  ["I7", permissionHolds],
  ["rules", rulesHold],
  ["I8", limitsHold],
  ["alive", servicesFit],
  ["settles", turnSettles],
  ["reason", reasonFits],
  ["stop", stopIsHonoured],
  ["I4", waitingIsDelivered],
  ["clock", clockRuns],
  ["slots", slotsAreKept],
  ["slots", writersAreAlone],
  ["view", requestsGrow],
  ["view", pairsAreWhole],
  ["view", viewIsEarned],
  ["view", forcedOnce],
  ["view", restoresView],
  ["view", transcriptHasNoSummary],
  ["view", summaryIsNoStep],
  ["view", questionIsShown],
  ["handoff", handedOverAsAsked],
  ["handoff", personaIsAsked],
  ["facts", factsSuffice],
];

/** The invariants that a transition breaks, by their ids in docs/invariants.md or a word. */
export function problemsOf(transition: Transition): readonly Problem[] {
  const checks = isRefusal(transition) ? ([["I3", refusalChangesNothing]] as const) : CHECKS;
  return checks.flatMap(([rule, check]) => {
    const message = check(transition);
    return message === undefined ? [] : [{ rule, message }];
  });
}
