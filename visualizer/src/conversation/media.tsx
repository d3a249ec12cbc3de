import { useEffect, useState } from "react";
import { bytes } from "../logic/format.ts";
import { isBlob } from "../logic/json-rows.ts";
import { pictureType } from "../logic/picture-type.ts";
import { client } from "../store/client.ts";
import { model } from "../store/model.ts";
import type { Json, MediaBlock } from "../wire/types.ts";
import { SafeLink } from "./safe-link.tsx";
import { t } from "../words/t.ts";

/** Bytes for each character of base64. */
const BASE64 = 3 / 4;

/** An image as a thumbnail, which a click enlarges. An image behind an address is not loaded: its link is shown. Sounds and films are named. */
export function Media({ block }: { readonly block: MediaBlock }) {
  const { type } = block;
  // a block of a file may have any shape
  const { url, data = "", mediaType = "" } = block.source as unknown as { readonly [field: string]: Json };
  if (url === undefined) return <Given type={type} mediaType={String(mediaType)} data={data} />;
  const address = isBlob(url) ? url.head : String(url);
  const given = DATA_ADDRESS.exec(address)?.[1];
  if (given !== undefined) return <Given type={type} mediaType={given} data={url} />;
  return <SafeLink address={address}>{type}</SafeLink>;
}

/** The beginning of an address that holds its data. */
const DATA_ADDRESS = /^data:([^;,]*)[^,]*;base64,/iu;

/** Shows what was given as data, in base64, or as an address that holds it. */
function Given({
  type,
  mediaType,
  data,
}: {
  readonly type: string;
  readonly mediaType: string;
  readonly data: Json;
}) {
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const picture = type === "image" ? pictureType(mediaType) : undefined;
  const whole = useWhole(picture === undefined ? "" : data)?.replace(DATA_ADDRESS, "");
  const size = bytes(Math.round((isBlob(data) ? data.length : String(data).length) * BASE64));
  const what = `${type}: ${mediaType}, ${size}`;
  if (picture === undefined || whole === undefined || isBroken) return <span className="badge">{what}</span>;
  return (
    <figure className="media" data-large={isLarge || undefined}>
      <button
        type="button"
        aria-pressed={isLarge}
        aria-label={t`Enlarge the ${what}`}
        onClick={() => setLarge(!isLarge)}
      >
        <img src={`data:${picture};base64,${whole}`} alt={what} onError={() => setBroken(true)} />
      </button>
      <figcaption className="num muted">{what}</figcaption>
    </figure>
  );
}

/** The whole text of a long one, of which a step has only the beginning; undefined until it is there, or if it is no longer held. */
function useWhole(text: Json): string | undefined {
  const sha = isBlob(text) ? text.$blob : undefined;
  const [loaded, setLoaded] = useState<{ readonly sha: string; readonly text: string }>();
  useEffect(() => {
    const { runId } = model.selection;
    if (sha === undefined || runId === null) return;
    let isCurrent = true;
    const file = model.files.get(runId);
    const asked = file ? Promise.resolve(file.blobs.get(sha)) : client.api?.blob(runId, sha);
    asked?.then(
      (whole) => void (isCurrent && whole !== undefined && setLoaded({ sha, text: whole })),
      () => {}, // it is named without a picture
    );
    return () => void (isCurrent = false);
  }, [sha]);
  if (sha === undefined) return String(text);
  return loaded?.sha === sha ? loaded.text : undefined;
}
