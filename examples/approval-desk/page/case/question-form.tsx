import { useId, useState, type SubmitEvent } from "react";
import type { Decision, Json, JsonObject, PendingCall } from "agentchart";
import { useLanguage } from "../words/language.tsx";

type Props = {
  readonly call: PendingCall;
  readonly isSent: boolean;
  readonly decide: (decision: Decision) => void;
};
type Choice = { readonly const: string; readonly title: string };
/** A question of a schema: a text, or one of several choices. */
type Part = { readonly name: string; readonly title: string; readonly choices: readonly Choice[] };

function choicesOf({ oneOf, enum: values }: JsonObject): readonly Choice[] {
  if (Array.isArray(oneOf))
    return (oneOf as readonly Partial<Choice>[]).map((each) => ({
      const: String(each.const),
      title: each.title ?? String(each.const),
    }));
  return Array.isArray(values) ? values.map((value) => ({ const: String(value), title: String(value) })) : [];
}

/** The parts of a question whose answer is an object; undefined if the answer is a text. */
function partsOf({ properties }: JsonObject): readonly Part[] | undefined {
  if (typeof properties !== "object" || properties === null) return undefined;
  return Object.entries(properties as { readonly [name: string]: JsonObject }).map(([name, schema]) => ({
    name,
    title: typeof schema["title"] === "string" ? schema["title"] : name,
    choices: choicesOf(schema),
  }));
}

/** Answers a question of the agent, or says that nobody will. */
export function QuestionForm({ call, isSent, decide }: Props) {
  const { words } = useLanguage();
  const parts = partsOf(call.answerSchema ?? {});
  const [texts, setTexts] = useState<{ readonly [name: string]: string }>({});
  const shown = parts ?? [{ name: "", title: words.question.text, choices: [] }];
  const isComplete = shown.every(({ name }) => (texts[name] ?? "").trim() !== "");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isComplete) decide({ respond: parts ? (texts as Json) : texts[""]!.trim() });
  };
  return (
    <form onSubmit={submit}>
      {shown.map((part) => (
        <PartOf
          key={part.name}
          part={part}
          text={texts[part.name] ?? ""}
          change={(text) => setTexts({ ...texts, [part.name]: text })}
        />
      ))}
      <div className="actions">
        <button className="primary" disabled={isSent || !isComplete}>
          {words.question.answer}
        </button>
        <button type="button" disabled={isSent} onClick={() => decide({ decline: true })}>
          {words.question.skip}
        </button>
      </div>
    </form>
  );
}

type PartProps = { readonly part: Part; readonly text: string; readonly change: (text: string) => void };

function PartOf({ part: { title, choices }, text, change }: PartProps) {
  const id = useId();
  if (choices.length === 0)
    return (
      <div className="field">
        <label htmlFor={id}>{title}</label>
        <textarea id={id} rows={2} value={text} onChange={({ target }) => change(target.value)} />
      </div>
    );
  return (
    <fieldset className="choices">
      <legend>{title}</legend>
      {choices.map((choice) => (
        <label key={choice.const}>
          <input
            type="radio"
            name={id}
            checked={text === choice.const}
            onChange={() => change(choice.const)}
          />
          {choice.title}
        </label>
      ))}
    </fieldset>
  );
}
