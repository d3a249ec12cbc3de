import { hooksText } from "../logic/step-title.ts";
import { lineOf } from "../logic/prompt-texts.ts";
import type { HookChange } from "../wire/types.ts";
import { BeforeAfter } from "./before-after.tsx";
import { t } from "../words/t.ts";

/** Shows the changes that each hook made to the request, in the order in which they ran. */
export function HookChanges({ hooks }: { readonly hooks: readonly HookChange[] }) {
  if (hooks.length === 0) return null;
  return (
    <section aria-labelledby="prompt-hooks">
      <h3 id="prompt-hooks">{t("Changed by hooks")}</h3>
      {hooks.map((change, place) => (
        <OneHook key={place} change={change} />
      ))}
    </section>
  );
}

const jsonText = (value: unknown): string => JSON.stringify(value, null, 1);

function OneHook({ change }: { readonly change: HookChange }) {
  const { hook, point, system, options, withoutTools, messages, input } = change;
  return (
    <article className="hook-change" data-hook-change={hook} data-tone="pink">
      <h4>
        <strong className="mono">{hook}</strong> <span className="muted">{hooksText(point)}</span>
      </h4>
      {system && (
        <>
          <p>{t("The system prompt:")}</p>
          <BeforeAfter {...system} />
        </>
      )}
      {options && (
        <>
          <p>{t("The options:")}</p>
          <BeforeAfter before={jsonText(options.before)} after={jsonText(options.after)} />
        </>
      )}
      {withoutTools && withoutTools.length > 0 && (
        <p>
          {t("Tools no longer offered:")} <span className="mono">{withoutTools.join(", ")}</span>
        </p>
      )}
      {input && (
        <>
          <p>{t("The input of the call:")}</p>
          <BeforeAfter
            before={input.before.map(lineOf).join("\n")}
            after={input.after.map(lineOf).join("\n")}
          />
        </>
      )}
      {messages && !input && (
        <p>
          {t("Messages:")} {messages.added} {t("added or changed,")} {messages.removed}{" "}
          {t("taken away. They are marked below.")}
        </p>
      )}
    </article>
  );
}
