/**
 * The stand-in for a language model: a pure function from a Chat Completions request to an assistant message. It reads
 * nothing but the messages and the names of the tools, remembers nothing, and follows rules:
 *
 * V1 Every number it says was said by a tool or by the asker.
 * V2 The same request always gets the same answer.
 * V3 Each answer brings the turn nearer to its end: a call that succeeded is never made again, one that failed at most
 *    once more.
 */
import { answerFromDocuments, RETRIEVE } from "./answer-from-documents.ts";
import { chooseColumns } from "./choose-columns.ts";
import { readConversation, type Conversation } from "./conversation.ts";
import { describeTitle } from "./describe-scope.ts";
import { mainSplit } from "./found.ts";
import { interpret } from "./interpret.ts";
import { keepPlan } from "./keep-plan.ts";
import { languageOf, type Language } from "./language.ts";
import { phraseAnswer } from "./phrase-answer.ts";
import { phraseHelp } from "./phrase-help.ts";
import { phrasesOf } from "./phrases.ts";
import { planSteps } from "./plan-steps.ts";
import type { Problem, Reading } from "./reading.ts";
import { scan } from "./scan.ts";
import { searchesFor, withFound } from "./search-values.ts";
import { readSchema, type Schema } from "./schema.ts";
import { cellText, runOf, type WantedCall } from "./tool-runs.ts";
import type { WireAnswer, WireRequest } from "./wire.ts";
import { wordsFor } from "./words.ts";

function ask({ length }: Conversation, say: string, calls: readonly WantedCall[]): WireAnswer {
  return {
    content: say,
    tool_calls: calls.map(({ tool, input }, index) => ({
      id: `call_${length}_${index + 1}`,
      function: { name: tool, arguments: JSON.stringify(input) },
    })),
  };
}

type Understood = { readonly reading: Reading } | { readonly searches: readonly WantedCall[] };

/** Reads the question; a value that no sample shows has to be searched for first. */
function understand(conversation: Conversation, schema: Schema): Understood & { readonly schema: Schema } {
  const read = (known: Schema): Reading => interpret(scan(conversation.question, phrasesOf(known)));
  const first = read(schema);
  const runs = first.problem
    ? []
    : searchesFor(schema, first).map((wanted) => ({ wanted, run: runOf(conversation, wanted) }));
  const searches = runs.filter(({ run }) => run.state === "todo").map(({ wanted }) => wanted);
  if (searches.length > 0) return { searches, schema };
  const known = withFound(
    schema,
    runs.flatMap(({ run }) => (run.state === "done" ? [run.result] : [])),
  );
  const reading = read(known);
  const [missing] = reading.lookups;
  const problem: Problem | undefined = missing && { kind: "noValue", text: missing.text };
  return { reading: problem && !reading.problem ? { ...reading, problem } : reading, schema: known };
}

const DESCRIBE: WantedCall = { tool: "describe_database", input: {} };

/** From documents, if there are any and they have the answer, else from the data. */
function answerOn(conversation: Conversation, language: Language): WireAnswer {
  if (conversation.tools.has(RETRIEVE)) {
    const { say, calls, isFound } = answerFromDocuments(conversation, language);
    if (calls.length > 0) return ask(conversation, say, calls);
    if (isFound || !conversation.tools.has(DESCRIBE.tool)) return { content: say };
  }
  return answerFromData(conversation, language);
}

function answerFromData(conversation: Conversation, language: Language): WireAnswer {
  const words = wordsFor(language);
  const described = runOf(conversation, DESCRIBE);
  if (described.state === "todo") return ask(conversation, words.look, [DESCRIBE]);
  if (described.state === "missing") return { content: words.noTool(DESCRIBE.tool) };
  if (described.state === "failed") return { content: words.failed(words.what.look, described.error) };
  const understood = understand(conversation, readSchema(described.result));
  const { schema } = understood;
  if ("searches" in understood) return ask(conversation, words.search, understood.searches);
  const analysis = chooseColumns(schema, understood.reading, language);
  if ("kind" in analysis) {
    const help = phraseHelp(schema, described.result, analysis, language);
    return { content: conversation.tools.has(RETRIEVE) ? `${words.notInDocuments}\n${help}` : help };
  }
  const { found, ...step } = planSteps(analysis, conversation);
  const title = describeTitle(analysis, mainSplit(analysis));
  const outcome = cellText(found.report?.["path"]) ?? title;
  const { say, calls } = keepPlan({ ...step, outcome }, conversation, { title, words });
  if (calls.length > 0) return ask(conversation, say, calls);
  return { content: phraseAnswer(analysis, found, conversation.tools.size > 0) };
}

/** The next assistant message: calls of tools, or the answer. */
export function planAnswer(request: WireRequest): WireAnswer {
  const conversation = readConversation(request);
  return answerOn(conversation, languageOf(conversation.question));
}
