import { useRef } from "react";
import type { MediaBlock } from "../../src/core/message/types.ts";
import { Button } from "../src/parts/button.tsx";
import { pictureType } from "../src/logic/picture-type.ts";
import { t } from "../src/words/t.ts";

/** The largest image that is attached, bytes: the server takes requests of a few MB. */
const MAX_BYTES = 500_000;

/** Reads images as blocks of a message. Rejects with words for a person for a file that is no image, or too large. */
export function imagesOf(files: Iterable<File>): Promise<readonly MediaBlock[]> {
  return Promise.all([...files].map(imageOf));
}

async function imageOf(file: File): Promise<MediaBlock> {
  const mediaType = pictureType(file.type);
  if (mediaType === undefined) throw new Error(t`${file.name} is not an image that can be shown.`);
  if (file.size > MAX_BYTES)
    throw new Error(t`${file.name} is larger than ${MAX_BYTES / 1_000} kB: attach a smaller image.`);
  return { type: "image", source: { type: "base64", mediaType, data: await base64(file) } };
}

/** The bytes of a file in base64. */
function base64(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
  reader.addEventListener("error", () => reject(new Error(t`${file.name} cannot be read.`)));
  reader.readAsDataURL(file);
  return promise;
}

/** A button that chooses images. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button tone="quiet" icon="file" title={t("Attach images")} onClick={() => field.current?.click()} />
      <input
        ref={field}
        type="file"
        hidden
        multiple
        accept="image/*"
        data-testid="attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}

/** The images that are attached; a click removes one. */
export function Attached({
  images,
  remove,
}: {
  readonly images: readonly MediaBlock[];
  readonly remove: (place: number) => void;
}) {
  if (images.length === 0) return null;
  return (
    <ul className="attached" aria-label={t("Attached images")}>
      {images.map(({ source }, place) =>
        source.type === "base64" ? (
          <li key={place}>
            <button
              type="button"
              title={t("Remove the image")}
              aria-label={t`Remove image ${place + 1}`}
              onClick={() => remove(place)}
            >
              <img src={`data:${source.mediaType};base64,${source.data}`} alt="" />
            </button>
          </li>
        ) : null,
      )}
    </ul>
  );
}
