import { useId, useState, type ReactNode } from "react";
import { fieldsOf, readForm, readJson, fieldText, type Field } from "../logic/form-fields.ts";
import { jsonText } from "../logic/format.ts";
import { isObject } from "../../../src/core/base/json.ts";
import type { Json, JsonObject } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** A form for a JSON value, which is parsed when it is submitted. */
export type JsonForm = { readonly view: ReactNode; read(): Json };

/** Creates a form for a value: fields from its schema or its own types, or one field of JSON. */
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
        <button type="button" className="link" onClick={() => ignoreErrors(swap)}>
          {isForm ? t("Edit as JSON") : t("Edit as form")}
        </button>
      )}
    </>
  );
  return { view, read: () => (isForm ? readForm(fields, texts) : readJson(raw, label)) };
}

/** The texts of the fields for a value. */
function textsOf(fields: readonly Field[] = [], value: Json | undefined): { readonly [key: string]: string } {
  const members = isObject(value) ? value : {};
  return Object.fromEntries(fields.map((field) => [field.key, fieldText(field, members[field.key])]));
}

/** Ignores errors: an invalid form stays as it is. */
function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // the problem is reported when the form is submitted
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
