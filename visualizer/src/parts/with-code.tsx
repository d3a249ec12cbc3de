/** Text with the parts between backticks as code. Everything in it stays text. */
export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return text; // a backtick without another one is a character
  return parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
