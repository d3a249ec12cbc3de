import { useState, type KeyboardEvent } from "react";
import { editedInPart } from "../logic/long-texts.ts";
import { differences, pathText } from "../logic/diff.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { Button } from "../parts/button.tsx";
import type { JsonObject, PendingItem } from "../wire/types.ts";
import { useJsonForm } from "./json-form.tsx";
import { t } from "../words/t.ts";

type Props = {
  readonly item: PendingItem;
  readonly isDisabled: boolean;
  readonly send: (edit: JsonObject) => void;
  readonly back: () => void;
};

/**
 * A form that edits arguments and keeps their types. It displays the changes; Ctrl+Enter or the button sends
 * them.
 */
export function EditArguments({ item, isDisabled, send, back }: Props) {
  const form = useJsonForm(item.inputSchema, item.input, t("Arguments (JSON)"));
  const [error, setError] = useState<string>();
  const read = (): JsonObject => {
    const value = form.read();
    if (!isObject(value)) throw new Error(t("Arguments must be a JSON object."));
    const part = editedInPart(value, item.input);
    if (part !== undefined) throw new Error(t`${part}: a long text can only be replaced by another text.`);
    return value;
  };
  const submit = (): void => {
    if (isDisabled) return;
    try {
      send(read());
      setError(undefined);
    } catch (problem) {
      setError((problem as Error).message);
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
        const isSubmit = event.ctrlKey || event.metaKey;
        if (isSubmit) submit();
        if (isSubmit || event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      {form.view}
      <Changes input={item.input} read={read} />
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="choices">
        <Button
          type="submit"
          tone="good"
          icon="check"
          label={t("Approve changes")}
          hint="Ctrl ↵"
          isDisabled={isDisabled}
        />
        <Button tone="quiet" label={t("Back")} onClick={back} />
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
  if (found.length === 0) return <p className="note">{t("No changes.")}</p>;
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
