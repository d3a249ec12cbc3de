import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export type ButtonProps = {
  readonly icon?: IconName;
  readonly label?: string;
  /** What a screen reader says, and the tooltip, where the label does not say it. */
  readonly title?: string;
  readonly hint?: string;
  readonly tone?: "good" | "bad" | "quiet";
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: () => void;
  readonly children?: ReactNode;
};

/** A button with a picture, words and the key that does the same. */
export function Button(props: ButtonProps) {
  const { icon, label, title, hint, tone, isPressed, isDisabled, type = "button", onClick, children } = props;
  return (
    <button
      type={type}
      className={tone ? `button ${tone}` : "button"}
      title={title}
      aria-label={label === undefined ? title : undefined}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {label !== undefined && <span>{label}</span>}
      {hint !== undefined && <kbd aria-hidden="true">{hint}</kbd>}
      {children}
    </button>
  );
}
