import { useEffect, useState, type KeyboardEvent } from "react";
import { Icon } from "./icon.tsx";

type SearchFieldProps = {
  readonly id: string;
  /** Both the placeholder and the accessible name. */
  readonly label: string;
  readonly title: string;
  /** The text of the model; a change of it replaces what the field shows. */
  readonly value: string;
  /** The key that focuses the field. */
  readonly shortcut?: string;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
};

/** A search field. It shows what is typed at once, since the model notifies a frame later. */
export function SearchField({ label, value, shortcut, onChange, ...input }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label className="find">
      <Icon name="search" />
      <input
        className="input"
        type="search"
        placeholder={label}
        aria-label={label}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChange(target.value);
        }}
        {...input}
      />
      {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
    </label>
  );
}
