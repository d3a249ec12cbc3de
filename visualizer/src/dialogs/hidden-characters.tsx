import { safeText } from "../logic/format.ts";
import { t } from "../words/t.ts";

/**
 * Warns about invisible and bidirectional characters in a field, which displays the text as it will be sent.
 */
export function HiddenCharacters({ text }: { readonly text: string }) {
  if (safeText(text) === text) return null;
  return (
    <div className="hidden-characters" data-testid="hidden-characters">
      <p className="note" role="status">
        {t(
          "The text contains invisible or bidirectional characters and is sent with them. With these characters visible:",
        )}
      </p>
      <pre className="mono">{text}</pre>
    </div>
  );
}
