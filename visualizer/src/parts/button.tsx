import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

/** Properties of {@link Button}. */
export type ButtonProps = {
  readonly icon?: IconName;
  readonly label?: string;
  /** The tooltip, and the accessible name of a button without a label. */
  readonly title?: string;
  readonly hint?: string;
  readonly className?: string;
  readonly tone?: "good" | "bad" | "quiet";
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: () => void;
  readonly children?: ReactNode;
};

/** A button with an icon, a label and the key that does the same. */
export function Button(props: ButtonProps) {
  const { icon, label, title, hint, tone, isPressed, isDisabled, type = "button", onClick, children } = props;
  const { className = "" } = props;
  return (
    <button
      type={type}
      className={["button", tone, className].filter(Boolean).join(" ")}
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
