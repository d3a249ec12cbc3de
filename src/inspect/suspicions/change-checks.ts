import type { CallAccount, ChangedBy } from "../../core/message/types.ts";
import type { CallFact, RunFacts } from "./facts.ts";
import type { Finding, SuspicionCheck } from "./suspicion.ts";
import { firstLine, listed } from "./wording.ts";

const whoOf = (by: ChangedBy): string => {
  if ("hook" in by) return `the hook ${by.hook}`;
  if (by.person === "inspector") return "a person in the inspector";
  return by.person ?? "a person";
};

const within = ({ askedAt, answeredAt = askedAt }: CallFact): readonly number[] => [askedAt, answeredAt];

/** The hooks and people that changed the result, and those that gave it. */
function resultChangers({ results = [], decided = [] }: CallAccount): readonly string[] {
  const given = decided.flatMap(({ decision, by, hook }) =>
    decision === "answer" ? [whoOf(hook === undefined ? { person: by ?? null } : { hook })] : [],
  );
  return [...new Set([...results.map(({ by }) => whoOf(by)), ...given])];
}

export const changedResult: SuspicionCheck = {
  name: "changed-result",
  title: "a result that is not the tool's own",
  find: ({ calls }) =>
    calls.flatMap((call): readonly Finding[] => {
      const who = resultChangers(call.account ?? {});
      if (who.length === 0) return [];
      return [
        {
          text: `The result of ${call.tool} comes from ${listed(who)}: the model read “${firstLine(call.text)}”.`,
          steps: within(call),
          label: `result of ${call.tool} changed`,
        },
      ];
    }),
};

export const changedArguments: SuspicionCheck = {
  name: "changed-arguments",
  title: "arguments that the model did not give",
  find: ({ calls }) =>
    calls.flatMap((call): readonly Finding[] => {
      const { changed = [], ran } = call.account ?? {};
      const isCoerced = ran !== undefined && ("input" in ran || "omitted" in ran);
      const who = [
        ...new Set(changed.map(({ by }) => whoOf(by))),
        ...(isCoerced ? ["the schema of the tool"] : []),
      ];
      if (who.length === 0) return [];
      return [
        {
          text: `${call.tool} ran with other arguments than the model gave: ${listed(who)} changed them.`,
          steps: within(call),
          label: `arguments of ${call.tool} changed`,
        },
      ];
    }),
};

export const changedAnswer: SuspicionCheck = {
  name: "changed-answer",
  title: "an answer that a hook changed",
  find: ({ messages, rests }) => [
    ...messages
      .filter(({ role, changedBy }) => role === "assistant" && changedBy.length > 0)
      .map(({ step, changedBy, text }) => ({
        text: `${hooksOf(changedBy)} changed an answer of the model to “${firstLine(text)}”.`,
        steps: [step],
        label: "answer changed",
      })),
    ...rests
      .filter(({ replyChangedBy }) => replyChangedBy.length > 0)
      .map(({ step, turn, replyChangedBy }) => ({
        text: `${hooksOf(replyChangedBy)} gave the caller of turn ${turn} another reply than the answer that is stored.`,
        steps: [step],
        label: "reply changed",
      })),
  ],
};

const hooksOf = (names: readonly string[]): string =>
  `The ${names.length === 1 ? "hook" : "hooks"} ${listed([...new Set(names)])}`;

export const wideApproval: SuspicionCheck = {
  name: "wide-approval",
  title: "an approval of every later call",
  find: ({ wideApprovals, calls }: RunFacts) =>
    wideApprovals.map(({ step, tool }) => {
      const later = calls.filter((call) => call.tool === tool && call.askedAt > step);
      const ran = later.length === 0 ? "" : ` ${later.length} ran since then without a question.`;
      return {
        text: `An approval covers every later call of ${tool}, whatever its arguments are.${ran}`,
        steps: [step, ...later.map(({ askedAt }) => askedAt)],
        label: `${tool} always approved`,
      };
    }),
};
