import { Icon } from "../parts/icon.tsx";
import { useLanguage } from "../words/language.tsx";

/** What the clerk has thought, behind a line that opens it. */
export function Thinking({ text, isRunning }: { readonly text: string; readonly isRunning: boolean }) {
  const { words } = useLanguage();
  return (
    <details className="thinking">
      <summary>
        <Icon name="open" />
        {isRunning ? words.isThinking : words.thinking}
      </summary>
      <p className="text">{text}</p>
    </details>
  );
}
