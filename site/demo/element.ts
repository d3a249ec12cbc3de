/** Makes an element with its attributes and what is in it. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: { readonly [name: string]: string } = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Makes a button. */
export function button(text: string, press: () => void, kind = ""): HTMLButtonElement {
  const made = element("button", { type: "button", class: kind }, text);
  made.addEventListener("click", press);
  return made;
}
