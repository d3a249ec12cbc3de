import { useState, type KeyboardEvent } from "react";
import { differences, pathText } from "../logic/diff.ts";
import { isObject } from "../../../src/base/is-object.ts";
import { Button } from "../parts/button.tsx";
import type { JsonObject, PendingItem } from "../wire/types.ts";
import { useJsonForm } from "./json-form.tsx";

type Props = {
  readonly item: PendingItem;
  readonly isOff: boolean;
  readonly send: (edit: JsonObject) => void;
  readonly back: () => void;
};

/** Arguments as a form: each keeps its type. What differs is shown before it is sent with Ctrl+Enter or the button. */
export function EditArguments({ item, isOff, send, back }: Props) {
  const form = useJsonForm(item.inputSchema, item.input, "Arguments (JSON)");
  const [trouble, setTrouble] = useState<string>();
  const read = (): JsonObject => {
    const value = form.read();
    if (!isObject(value)) throw new Error("Arguments must be a JSON object.");
    return value;
  };
  const submit = (): void => {
    if (isOff) return;
    try {
      send(read());
      setTrouble(undefined);
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== "Enter") return;
        const isMeant = event.ctrlKey || event.metaKey;
        if (isMeant) submit();
        if (isMeant || event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      {form.view}
      <Changes input={item.input} read={read} />
      {trouble !== undefined && (
        <p className="trouble" role="alert">
          {trouble}
        </p>
      )}
      <div className="choices">
        <Button
          type="submit"
          tone="good"
          icon="check"
          label="Approve edited"
          hint="Ctrl ↵"
          isDisabled={isOff}
        />
        <Button tone="quiet" label="Back" onClick={back} />
      </div>
    </form>
  );
}

function Changes({ input, read }: { readonly input: JsonObject; readonly read: () => JsonObject }) {
  let found: ReturnType<typeof differences>;
  try {
    found = differences(input, read());
  } catch {
    return null;
  }
  if (found.length === 0) return <p className="note">Nothing differs from what was asked.</p>;
  return (
    <ul className="edits mono">
      {found.map(({ path, before, after }) => (
        <li key={pathText(path)}>
          {pathText(path)}: <del>{JSON.stringify(before) ?? "–"}</del>{" "}
          <ins>{JSON.stringify(after) ?? "–"}</ins>
        </li>
      ))}
    </ul>
  );
}
