import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { client } from "../store/client.ts";
import { save } from "../store/export-run.ts";
import { model } from "../store/model.ts";
import { Frame } from "./frame.tsx";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

const PART_LENGTH = 100_000;

type Props = { readonly sha: string; readonly length: number; readonly head: string };

/** Displays a long text in parts; fetches it if only its beginning is available. */
export function BlobDialog({ sha, length, head }: Props) {
  const [text, setText] = useState(head);
  const [visibleLength, setVisibleLength] = useState(PART_LENGTH);
  const [error, setError] = useState<string>();
  useEffect(() => {
    const { runId } = model.selection;
    if (sha === "" || runId === null) return;
    const file = model.files.get(runId);
    const loaded = file?.blobs.get(sha);
    if (loaded !== undefined) setText(loaded);
    if (file && loaded === undefined) setError(t("The file contains only the beginning of this text."));
    if (file || !client.api) return;
    client.api.blob(runId, sha).then(setText, (problem: Error) => setError(problem.message));
  }, [sha]);
  return (
    <Frame title={t("Long text")} isWide>
      <div className="inner">
        <h2>
          {characters(length)} {t("of text")}{" "}
          <span className="muted">{text.length < length && error === undefined ? t("Loading …") : ""}</span>
        </h2>
        {error !== undefined && <p className="error">{error}</p>}
        <pre className="whole" tabIndex={0}>
          {text.slice(0, visibleLength)}
        </pre>
        <footer>
          {text.length > visibleLength && (
            <Button
              label={t`Show ${characters(Math.min(PART_LENGTH, text.length - visibleLength))} more`}
              onClick={() => setVisibleLength(visibleLength + PART_LENGTH)}
            />
          )}
          <Button
            tone="quiet"
            label={t("Save")}
            onClick={() => save(new Blob([text], { type: "text/plain" }), "value.txt")}
          />
          <Button label={t("Close")} onClick={() => model.set({ dialog: null })} />
        </footer>
      </div>
    </Frame>
  );
}
