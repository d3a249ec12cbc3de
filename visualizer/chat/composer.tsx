import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { MediaBlock, TextBlock } from "../../src/core/message/types.ts";
import { Button } from "../src/parts/button.tsx";
import { AttachButton, Attached, imagesOf } from "./attachments.tsx";
import { t } from "../src/words/t.ts";

type Props = {
  readonly isDisabled?: boolean;
  /** Says something; rejects if it was not stored: then the text stays. */
  readonly send: (input: string | readonly (TextBlock | MediaBlock)[]) => Promise<void>;
  /** While a turn runs: adds to it, and ends it. */
  readonly running?: {
    readonly steer: (text: string) => Promise<void>;
    readonly stop: () => void;
  };
  readonly note?: string | undefined;
};

/** The field for what the user says. Enter sends it, Shift and Enter begin a new line. */
export function Composer({ isDisabled = false, send, running, note }: Props) {
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly MediaBlock[]>([]);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (): void => {
    const said = text.trim();
    if ((said === "" && images.length === 0) || isDisabled) return;
    setText("");
    setImages([]);
    const give = (): void => {
      setText((now) => (now === "" ? said : now));
      setImages((now) => (now.length === 0 ? images : now));
    };
    const words: readonly TextBlock[] = said === "" ? [] : [{ type: "text", text: said }];
    const sent = running ? running.steer(said) : send(images.length === 0 ? said : [...words, ...images]);
    sent.catch(give); // the error is shown where the chat is
  };
  const attach = (files: readonly File[]): void => {
    setProblem(undefined);
    imagesOf(files).then(
      (more) => setImages((now) => [...now, ...more]),
      (error: unknown) => setProblem((error as Error).message),
    );
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {note !== undefined && <p className="note">{note}</p>}
      {problem !== undefined && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      <Attached images={images} remove={(place) => setImages(images.toSpliced(place, 1))} />
      <div className="row">
        {!running && <AttachButton onFiles={attach} />}
        <textarea
          ref={field}
          onPaste={({ clipboardData }) => {
            const files = [...clipboardData.files];
            if (files.length > 0 && !running) attach(files);
          }}
          className="input"
          rows={Math.min(8, text.split("\n").length)}
          aria-label={t("Message")}
          placeholder={running ? t("Add to what the agent is doing") : t("Say something")}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
        />
        {running && <Button tone="bad" icon="stop" label={t("Stop")} onClick={running.stop} />}
        <Button
          type="submit"
          tone="good"
          label={running ? t("Add") : t("Send")}
          isDisabled={isDisabled || (text.trim() === "" && (running !== undefined || images.length === 0))}
        />
      </div>
    </form>
  );
}
