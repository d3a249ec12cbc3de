import { useId, useState, type ReactNode } from "react";
import { fieldsOf, readForm, readJson, showField, type Field } from "../logic/form-fields.ts";
import { jsonText } from "../logic/format.ts";
import { isObject } from "../../../src/base/is-object.ts";
import type { Json, JsonObject } from "../wire/types.ts";

/** What is typed in a form: read when it is sent. */
export type JsonForm = { readonly view: ReactNode; read(): Json };

/** A form for a value: fields from its schema or its own types, or one field of JSON. */
export function useJsonForm(
  schema: JsonObject | undefined,
  value: Json | undefined,
  label: string,
): JsonForm {
  const [base, setBase] = useState(value);
  const fields = fieldsOf(schema, base);
  const [isRaw, setRaw] = useState(fields === undefined || fields.length === 0);
  const [texts, setTexts] = useState(() => textsOf(fields, value));
  const [raw, setRawText] = useState(() => (value === undefined ? "" : jsonText(value)));
  const isForm = fields !== undefined && !isRaw;
  const swap = (): void => {
    if (isForm) setRawText(jsonText(readForm(fields, texts)));
    else {
      const next = readJson(raw, label);
      if (!isObject(next)) return;
      setBase(next);
      setTexts(textsOf(fieldsOf(schema, next), next));
    }
    setRaw(!isRaw);
  };
  const view = (
    <>
      {isForm ? (
        fields.map((field) => (
          <FieldOf
            key={field.key}
            field={field}
            text={texts[field.key] ?? ""}
            change={(text) => setTexts({ ...texts, [field.key]: text })}
          />
        ))
      ) : (
        <label>
          {label}
          <textarea
            className="input mono"
            rows={Math.min(14, raw.split("\n").length + 1)}
            spellCheck={false}
            value={raw}
            onChange={({ target }) => setRawText(target.value)}
          />
        </label>
      )}
      {fields !== undefined && fields.length > 0 && (
        <button type="button" className="link" onClick={() => attempt(swap)}>
          {isForm ? "as JSON" : "as a form"}
        </button>
      )}
    </>
  );
  return { view, read: () => (isForm ? readForm(fields, texts) : readJson(raw, label)) };
}

/** What stands in the fields for a value. */
function textsOf(fields: readonly Field[] = [], value: Json | undefined): { readonly [key: string]: string } {
  const members = isObject(value) ? value : {};
  return Object.fromEntries(fields.map((field) => [field.key, showField(field, members[field.key])]));
}

/** A form that cannot be read stays as it is. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // the problem is told when it is sent
  }
}

function FieldOf({
  field,
  text,
  change,
}: {
  readonly field: Field;
  readonly text: string;
  readonly change: (text: string) => void;
}) {
  const id = useId();
  const common = {
    id,
    value: text,
    "aria-required": field.isRequired,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  };
  return (
    <div className="field" data-field={field.key}>
      <label htmlFor={id}>
        <span className="mono">{field.label}</span>
        {field.isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {field.control === "boolean" ? (
        <input
          id={id}
          type="checkbox"
          checked={text === "true"}
          onChange={({ target }) => change(String(target.checked))}
        />
      ) : field.control === "choice" ? (
        <select className="input" {...common}>
          {field.mayBeAbsent && <option value="">–</option>}
          {(field.choices ?? []).map((choice) => (
            <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      ) : field.control === "long" || field.control === "json" ? (
        <textarea
          className="input mono"
          rows={Math.min(10, text.split("\n").length + 1)}
          spellCheck={false}
          {...common}
        />
      ) : (
        <input
          className="input mono"
          inputMode={field.control === "text" ? "text" : "decimal"}
          spellCheck={false}
          {...common}
        />
      )}
      {field.description !== undefined && <small>{field.description}</small>}
    </div>
  );
}
