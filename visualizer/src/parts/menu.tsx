import { useId, useRef, type KeyboardEvent, type ToggleEvent } from "react";
import { Icon } from "./icon.tsx";

/** A choice of a menu. */
export type MenuItem = { readonly label: string; readonly onChoose: () => void };

type Props = { readonly label: string; readonly items: readonly MenuItem[] };

/** The distance between the button and its menu, and to the edges of the window, px. */
const GAP = 4;

/** A button that opens a menu above everything else. Arrow keys move in it, Escape and a click elsewhere close it. */
export function Menu({ label, items }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  if (items.length === 0) return null;
  const onToggle = ({ newState }: ToggleEvent<HTMLDivElement>): void => {
    const isOpen = newState === "open";
    button.current?.setAttribute("aria-expanded", String(isOpen));
    const close = (): void => menu.current?.hidePopover();
    if (!isOpen || !button.current || !menu.current) return;
    place(menu.current, button.current.getBoundingClientRect());
    menu.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    addEventListener("scroll", close, { capture: true, once: true });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded="false"
        popoverTarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        className="menu"
        aria-label={label}
        onToggle={onToggle}
        onKeyDown={moveWithin}
      >
        {items.map(({ label: text, onChoose }) => (
          <button
            key={text}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover();
              onChoose();
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

/** Puts the menu below its button, or above it where there is no room. */
function place(menu: HTMLElement, { right, top, bottom }: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isBelow = bottom + GAP + height <= innerHeight - GAP;
  menu.style.left = `${Math.max(GAP, right - width)}px`;
  menu.style.top = `${isBelow ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`;
}

function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  event.stopPropagation(); // no key of it is a shortcut of the page
  if (event.key === "Tab") event.currentTarget.hidePopover();
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length)?.focus();
}
