import { useRef, useState, type SubmitEvent } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { openCase } from "../parts/server.ts";
import { linkTo } from "../parts/use-address.ts";
import { useLanguage } from "../words/language.tsx";

/** The form that opens a case with what a customer writes. */
export function NewCase() {
  const { words } = useLanguage();
  const announce = useAnnounce();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const key = useRef(crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const open = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setProblem(undefined);
    try {
      const id = await openCase(text.trim(), key.current);
      announce(words.announce.opened);
      location.hash = linkTo({ at: "case", id });
    } catch (error) {
      setProblem((error as Error).message);
      setSending(false);
    }
  };
  const choose = (example: string): void => {
    setText(example);
    field.current?.focus();
  };
  return (
    <section className="new-case" aria-labelledby="new-case-title">
      <h2 id="new-case-title" tabIndex={-1} data-heading>
        {words.newCase.title}
      </h2>
      <p className="muted">{words.newCase.hint}</p>
      <form onSubmit={(event) => void open(event)}>
        <label htmlFor="question">{words.newCase.label}</label>
        <textarea
          id="question"
          ref={field}
          rows={4}
          required
          maxLength={2_000}
          value={text}
          onChange={({ target }) => {
            key.current = crypto.randomUUID(); // another text is another case
            setText(target.value);
          }}
        />
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button className="primary" disabled={isSending || text.trim() === ""}>
          {words.newCase.open}
        </button>
      </form>
      <h3>{words.newCase.examples}</h3>
      <ul className="examples">
        {words.newCase.example.map((example) => (
          <li key={example}>
            <button type="button" onClick={() => choose(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
