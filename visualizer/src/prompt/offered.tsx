import type { PromptLens } from "../wire/types.ts";
import { FoldedJson, FoldedText } from "./folded-text.tsx";
import { t } from "../words/t.ts";

/** The tools that the model was offered, and the options of the request. */
export function Offered({ lens: { request } }: { readonly lens: PromptLens }) {
  const { tools, options, output } = request;
  return (
    <>
      <section aria-labelledby="prompt-tools">
        <h3 id="prompt-tools">
          {t("Tools")} <span className="num muted">{tools.length}</span>
        </h3>
        {tools.map(({ name, description, inputSchema }) => (
          <details key={name} className="offered" data-offered={name}>
            <summary>
              <strong className="mono">{name}</strong>{" "}
              <span className="muted">{description.split("\n")[0]}</span>
            </summary>
            <FoldedText text={description} />
            <FoldedJson value={inputSchema} />
          </details>
        ))}
        {tools.length === 0 && <p className="muted">{t("None was offered.")}</p>}
      </section>
      <section aria-labelledby="prompt-options">
        <h3 id="prompt-options">{t("Options")}</h3>
        {Object.keys(options).length === 0 && !output ? (
          <p className="muted">{t("None: the model's defaults hold.")}</p>
        ) : (
          <FoldedJson value={output ? { ...options, output } : options} />
        )}
      </section>
    </>
  );
}
