import type { LeftOut, RunFacts } from "./facts.ts";
import type { Finding, SuspicionCheck } from "./suspicion.ts";
import { firstLine, grouped, percent } from "./wording.ts";
import { limitLabel } from "../../../machines/agent/limits.ts";

/** The share of a window, and of a limit, from which on it is nearly used up. */
const NEARLY = 0.8;

export const fullWindow: SuspicionCheck = {
  name: "full-window",
  title: "a prompt near the model's window",
  find: ({ messages, requests }) => {
    const full = messages.flatMap(({ promptTokens = 0, step }) => {
      const request = requests.findLast((each) => each.step < step);
      const share = request?.window === undefined ? 0 : promptTokens / request.window;
      return share >= NEARLY ? [{ step: request!.step, share, promptTokens, window: request!.window! }] : [];
    });
    const [largest] = full.toSorted((one, other) => other.share - one.share);
    if (!largest) return [];
    const { promptTokens, window, share } = largest;
    return [
      {
        text: `A prompt of ${promptTokens} tokens filled ${percent(share)} of the model's window of ${window}.`,
        steps: full.map(({ step }) => step),
        label: `window ${percent(share)} full`,
      },
    ];
  },
};

const CAUSES: { readonly [by in LeftOut["by"]]: string } = {
  contextWindow: "the option contextWindow",
  compaction: "a summary, which may not say it",
  hook: "a hook",
  unknown: "something unknown",
};

export const forgottenMessage: SuspicionCheck = {
  name: "forgotten-message",
  title: "a message of the user that the model did not see",
  find: ({ requests }: RunFacts) => {
    const left = requests.flatMap(({ step, left }) => left.map((each) => ({ ...each, step })));
    return grouped(left, ({ messageId }) => messageId).map((all): Finding => {
      const [{ text, by, hook }] = all as [(typeof all)[number]];
      const cause = hook === undefined ? CAUSES[by] : `the hook ${hook}`;
      return {
        text: `The model was asked without the user's message “${firstLine(text)}”: left out by ${cause}.`,
        steps: all.map(({ step }) => step),
        label: "user's message left out",
      };
    });
  },
};

const rounded = (value: number): string => String(Number(value.toPrecision(6)));
const amount = (name: string, value: number): string =>
  name === "wallMs" ? `${rounded(value / 1_000)} s` : rounded(value);

export const spentBudget: SuspicionCheck = {
  name: "spent-budget",
  title: "a budget near its end",
  find: ({ rests }) => {
    const used = rests.flatMap(({ turn, step, limits, reached, reason }) => {
      const all = reached && reason === "BUDGET_EXCEEDED" ? [reached] : limits;
      return all.map((limit) => ({ ...limit, turn, step, share: limit.used / limit.allowed }));
    });
    const near = used.filter(({ share, allowed }) => allowed > 0 && share >= NEARLY);
    // a turn that rests more than once says it once, with its newest numbers
    return grouped(near, ({ turn, name }) => `${turn} ${name}`).map((all): Finding => {
      const { name, used: spent, allowed, turn, share } = all.at(-1)!;
      const what = name === "maxIters" ? "iterations" : limitLabel(name);
      return {
        text: `Turn ${turn} used ${amount(name, spent)} of ${amount(name, allowed)} of its budget (${what}).`,
        steps: all.map(({ step }) => step),
        label: share >= 1 ? `${what} used up` : `${what} ${percent(share)} used`,
      };
    });
  },
};
