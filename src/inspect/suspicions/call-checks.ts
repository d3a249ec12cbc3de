import { truncated } from "../../core/base/shown.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import type { CallFact, RunFacts } from "./facts.ts";
import type { Finding, SuspicionCheck } from "./suspicion.ts";
import { firstLine, grouped, listed, stepsOf, times } from "./wording.ts";

/** So many equal calls of one turn are odd. */
const MANY_EQUAL = 3;
/** So many calls of a tool in a row that bring the same result are a loop. */
const LOOP = 4;

const argumentsOf = ({ input }: CallFact): string => JSON.stringify(input);

/** The calls of each turn, without those that manage what the model is offered. */
const inTurns = ({ calls }: RunFacts): readonly (readonly CallFact[])[] =>
  grouped(
    calls.filter(({ tool }) => !RESERVED_NAMES.includes(tool)),
    ({ turn }) => String(turn),
  );

export const repeatedCall: SuspicionCheck = {
  name: "repeated-call",
  title: "the same call again and again",
  find: (facts) =>
    inTurns(facts)
      .flatMap((calls) => grouped(calls, (call) => `${call.tool} ${argumentsOf(call)}`))
      .filter((equal) => equal.length >= MANY_EQUAL)
      .map((equal): Finding => {
        const { tool, turn } = equal[0]!;
        return {
          text: `${tool} was called ${times(equal.length)} with the same arguments in turn ${turn}.`,
          steps: stepsOf(equal),
          label: `${tool} ×${equal.length}`,
        };
      }),
};

export const loop: SuspicionCheck = {
  name: "loop",
  title: "a loop without progress",
  find: (facts) => [...sameResults(facts), ...outOfIterations(facts)],
};

/** Calls of one tool, one after the other, that brought the same result although their arguments differ. */
function sameResults(facts: RunFacts): readonly Finding[] {
  return inTurns(facts).flatMap((calls) => {
    const found: Finding[] = [];
    let row: CallFact[] = [];
    const close = (): void => {
      const [first] = row;
      const differ = new Set(row.map(argumentsOf)).size;
      if (first && row.length >= LOOP && differ > 1)
        found.push({
          text: `${first.tool} brought the same result ${times(row.length)} in a row: “${firstLine(first.text)}”.`,
          steps: stepsOf(row),
          label: `${first.tool} ×${row.length}`,
        });
      row = [];
    };
    for (const call of calls) {
      const [first] = row;
      if (first && (call.tool !== first.tool || call.text !== first.text)) close();
      if (call.text !== undefined && call.text !== "") row.push(call);
    }
    close();
    return found;
  });
}

const outOfIterations = ({ rests }: RunFacts): readonly Finding[] =>
  rests
    .filter(({ reason }) => reason === "MAX_ITERATIONS")
    .map(({ turn, step }) => ({
      text: `Turn ${turn} used all of its iterations without an answer of the model.`,
      steps: [step],
      label: "out of iterations",
    }));

export const repeatedEffect: SuspicionCheck = {
  name: "repeated-effect",
  title: "attempts that may have taken effect",
  find: ({ calls }) =>
    calls.flatMap(({ tool, account, askedAt, answeredAt = askedAt }): readonly Finding[] => {
      const attempts = account?.attempts ?? [];
      const [first] = attempts;
      if (!first) return [];
      const why = firstLine(first.error);
      return [
        {
          text: `${tool} ran ${times(attempts.length + 1)} for one call: attempt ${first.attempt} ended with “${why}”, and what it had done by then stays done.`,
          steps: [askedAt, answeredAt],
          label: `${tool}: ${attempts.length + 1} attempts`,
        },
      ];
    }),
};

export const unknownTool: SuspicionCheck = {
  name: "unknown-tool",
  title: "a tool that does not exist",
  find: ({ calls, requests }) =>
    calls
      .filter(({ code }) => code === "tool/unknown" || code === "tool/unavailable")
      .map(({ tool, askedAt }) => {
        const offered = requests.findLast(({ step }) => step <= askedAt)?.tools ?? [];
        return {
          text: `The model called ${truncated(tool)}, which it was not offered; it was offered ${listed(offered)}.`,
          steps: [askedAt],
          label: `unknown tool ${truncated(tool)}`,
        };
      }),
};

export const unusedTool: SuspicionCheck = {
  name: "unused-tool",
  title: "a tool that was never called while another failed",
  find: ({ calls, requests }) => {
    const failed = calls.filter(({ state, tool }) => state === "error" && !RESERVED_NAMES.includes(tool));
    if (failed.length === 0) return [];
    const called = new Set(calls.map(({ tool }) => tool));
    const turns = new Set(failed.map(({ turn }) => turn));
    const offered = new Set(requests.flatMap(({ turn, tools }) => (turns.has(turn) ? tools : [])));
    const unused = [...offered].filter((tool) => !called.has(tool) && !RESERVED_NAMES.includes(tool));
    if (unused.length === 0) return [];
    const names = listed([...new Set(failed.map(({ tool }) => tool))]);
    return [
      {
        text: `${names} failed ${times(failed.length)}, and ${listed(unused)} ${unused.length === 1 ? "was" : "were"} offered but never called.`,
        steps: stepsOf(failed),
        label: `${unused[0]!} never called`,
      },
    ];
  },
};

export const swallowedError: SuspicionCheck = {
  name: "swallowed-error",
  title: "an error that the answer followed all the same",
  find: (facts) => [...failedCalls(facts), ...failedHooks(facts)],
};

/** Calls that failed, were not made again with success, and whose turn was answered. */
function failedCalls({ calls, rests }: RunFacts): readonly Finding[] {
  return rests
    .filter(({ reason }) => reason === "MODEL_STOP" || reason === "STRUCTURED_OUTPUT")
    .flatMap(({ turn, step: end }) => {
      const ofTurn = calls.filter((call) => call.turn === turn && !RESERVED_NAMES.includes(call.tool));
      const failed = ofTurn.filter(
        ({ state, tool, askedAt }, place) =>
          state === "error" &&
          !ofTurn
            .slice(place + 1)
            .some((later) => later.tool === tool && later.state === "success" && later.askedAt > askedAt),
      );
      return grouped(failed, ({ tool }) => tool).map(([first, ...more]): Finding => {
        const { tool, text } = first!;
        const count = more.length === 0 ? "failed" : `failed ${times(more.length + 1)}`;
        return {
          text: `${tool} ${count} (“${firstLine(text)}”), and the turn was answered without it.`,
          steps: [...stepsOf([first!, ...more]), end],
          label: `${tool} failed`,
        };
      });
    });
}

const failedHooks = ({ failures, rests }: RunFacts): readonly Finding[] =>
  failures
    .filter(({ service, turn, step }) => {
      const rest = rests.find((each) => each.turn === turn && each.step >= step);
      return service === "runHooks" && rest?.reason !== "ERROR";
    })
    .map(({ step, text }) => ({
      text: `A hook failed (“${firstLine(text)}”), and the turn went on.`,
      steps: [step],
      label: "a hook failed",
    }));
