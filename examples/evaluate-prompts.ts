// Evaluates two prompts on twenty questions, and compares them run by run. It needs no key: the model is code.
import type { EvalCase } from "agentchart/evals";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

/** A model that adds only if its prompt tells it to, and then forgets to carry. */
const adder: ScriptedTurn = async function* ({ messages }) {
  const [system = "", question = ""] = messages.map(({ content }) => JSON.stringify(content));
  const [a = 0, b = 0] = question.match(/\d+/g)!.map(Number);
  const carries = system.includes("carry") || (a % 10) + (b % 10) < 10;
  yield { type: "text.delta", delta: `That is ${a + b - (carries ? 0 : 10)}.` };
  yield { type: "finish", reason: "stop" };
};
const cases = Array.from({ length: 20 }, (_, i): EvalCase => {
  const [a, b] = [i * 7 + 6, i * 4 + 8];
  return { name: `${a} and ${b}`, input: `Add ${a} and ${b}.`, expected: a + b };
});

// #region compare
import { compareEvals, evaluate, path, reply, used } from "agentchart/evals";

const judge = [reply.isNumber(), used("search").never(), path.visits("summarizing").never()];
const tried = (sysPrompt: string) =>
  evaluate(sysPrompt, {
    agent: () => ({ name: "adder", sysPrompt, model: scriptedModel([adder]) }),
    cases,
    judge,
  });

const before = await tried("Add the numbers.");
const after = await tried("Add the numbers, and carry.");
const { better, worse, p } = compareEvals(before, after);
console.log(`${before.counts.passed} of 20, then ${after.counts.passed} of 20`);
console.log(`${better.length} better, ${worse.length} worse, p = ${p.toFixed(4)}`);
// #endregion
