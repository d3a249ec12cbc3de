import { useEffect, useState } from "react";
import { bytes } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { client } from "../store/client.ts";
import { save } from "../store/export-run.ts";
import { model } from "../store/model.ts";
import { Frame } from "./frame.tsx";

const PIECE = 100_000;

type Props = { readonly sha: string; readonly length: number; readonly head: string };

/** A long text, whole: fetched if only its beginning is here, drawn piece by piece. */
export function BlobDialog({ sha, length, head }: Props) {
  const [text, setText] = useState(head);
  const [shown, setShown] = useState(PIECE);
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    const { runId } = model.selection;
    if (sha === "" || runId === null) return;
    const file = model.files.get(runId);
    const known = file?.blobs.get(sha);
    if (known !== undefined) setText(known);
    if (file && known === undefined) setTrouble("The file has only the beginning of this text.");
    if (file || !client.api) return;
    client.api.blob(runId, sha).then(setText, (error: Error) => setTrouble(error.message));
  }, [sha]);
  return (
    <Frame title="Long text" isWide>
      <div className="inner">
        <h2>
          {bytes(length)} of text{" "}
          <span className="muted">{text.length < length && trouble === undefined ? "loading …" : ""}</span>
        </h2>
        {trouble !== undefined && <p className="trouble">{trouble}</p>}
        <pre className="whole" tabIndex={0}>
          {text.slice(0, shown)}
        </pre>
        <footer>
          {text.length > shown && (
            <Button
              label={`Show ${bytes(Math.min(PIECE, text.length - shown))} more`}
              onClick={() => setShown(shown + PIECE)}
            />
          )}
          <Button
            tone="quiet"
            label="Save"
            onClick={() => save(new Blob([text], { type: "text/plain" }), "value.txt")}
          />
          <Button label="Close" onClick={() => model.set({ dialog: null })} />
        </footer>
      </div>
    </Frame>
  );
}
