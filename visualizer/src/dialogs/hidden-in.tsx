import { plain } from "../logic/format.ts";

/** Says of a text in a field which characters in it are not seen or turn it; the field shows it as it will be sent. */
export function HiddenIn({ text }: { readonly text: string }) {
  if (plain(text) === text) return null;
  return (
    <div className="hidden-in" data-testid="hidden-in">
      <p className="note" role="status">
        It has characters that hide or turn text, and is sent with them. With them visible:
      </p>
      <pre className="mono">{text}</pre>
    </div>
  );
}
