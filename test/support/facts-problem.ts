import { isSame } from "../../src/core/base/json.ts";
import { entriesOf, wholeSession } from "../../src/session/entries.ts";
import type { Fact as Entry, SessionEntry } from "../../src/session/entry.ts";
import { JournalFold } from "../../src/session/fold.ts";
import { persistedContext } from "../../src/session/format.ts";
import { type Fact, stepFacts } from "../../machines/agent/facts.ts";
import type { AgentContext } from "../../machines/agent/context.ts";

/** The calls without what counts only in the process that runs them. */
const stored = (calls: AgentContext["calls"]) =>
  calls.map(({ spawned: _, deadlineAt: __, ...record }) => record);

/** The parts of a session that its facts say; the position says the rest. */
function factual({ calls, transcript, request, ...context }: AgentContext) {
  const { inbox, remembered, wanted, slots, interruption, view } = context;
  const parts = { inbox, remembered, wanted, slots, interruption, view, system: request.system };
  return { ...parts, calls: stored(calls), messages: transcript.slice() };
}

/** The session that the entries of a journal make. */
function folded(settings: AgentContext["settings"], entries: readonly Entry[]) {
  const fold = new JournalFold(settings);
  for (const [index, entry] of entries.entries())
    fold.push({ ...entry, seq: index + 1, at: 1 } as SessionEntry);
  const { kept, messages } = fold.state();
  const { inbox, remembered, wanted, slots, interruption, view, request, calls } = kept;
  return {
    inbox,
    remembered,
    wanted,
    slots,
    interruption,
    view,
    system: request.system,
    calls: stored(calls),
    messages,
  };
}

/** What is wrong with the facts of a step; undefined if they, written behind the session before it as a journal has both, make the session
 *  after it. */
export function factsProblem(
  before: AgentContext,
  facts: readonly Fact[],
  after: AgentContext,
): string | undefined {
  const whole = wholeSession({ messages: before.transcript.slice(), kept: persistedContext(before) });
  const made = folded(before.settings, [...whole, ...entriesOf(stepFacts(facts))]);
  for (const [part, value] of Object.entries(factual(after)))
    if (!isSame(made[part as never], value))
      return `its facts make of \`${part}\` ${JSON.stringify(made[part as never])} instead of ${JSON.stringify(value)}`;
  return undefined;
}
