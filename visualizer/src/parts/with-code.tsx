/** Text with the parts between backticks as code. Everything in it stays text, whose hidden characters are shown. */
export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split("`");
  // a backtick without another one is a character; text is made safe as a child of an element
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
