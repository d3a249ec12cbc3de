import { useRef } from "react";
import { Icon } from "../parts/icon.tsx";
import { openFile } from "../store/files.ts";

/** Opens a local file; a file may also be dropped on the page. */
export function OpenFile({ label }: { readonly label: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="button quiet" onClick={() => input.current?.click()}>
        <Icon name="file" /> {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        data-testid="open-file"
        accept=".ndjson,.jsonl,.json"
        onChange={(event) => {
          for (const file of event.target.files ?? []) void openFile(file);
          event.target.value = "";
        }}
      />
    </>
  );
}
