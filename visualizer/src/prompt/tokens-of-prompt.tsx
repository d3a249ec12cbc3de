import { compact } from "../logic/format.ts";
import { messagesOf } from "../logic/step-notes.ts";
import { useModel } from "../store/use-model.ts";
import type { Step } from "../wire/step.ts";
import type { PromptLens, Usage } from "../wire/types.ts";
import { t } from "../words/t.ts";

const PARTS = [
  ["system", t("System prompt"), "slate"],
  ["tools", t("Tools"), "cyan"],
  ["messages", t("Messages"), "blue"],
] as const;

/** The tokens of a request by part, as estimated, and as the provider counted them. */
export function TokensOfPrompt({ lens }: { readonly lens: PromptLens }) {
  const { sizes, call } = lens;
  const usage = useModel(({ run }) => usageOf(run.at(run.stepOfMessage(call.id) ?? 0), call.id));
  const total = Math.max(1, sizes.system + sizes.tools + sizes.messages);
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage ?? {};
  return (
    <section className="prompt-tokens" aria-label={t("Tokens of the request")}>
      <div className="share" aria-hidden="true">
        {PARTS.map(([part, , tone]) => (
          <i key={part} data-tone={tone} style={{ width: `${(sizes[part] / total) * 100}%` }} />
        ))}
      </div>
      <dl className="facts">
        {PARTS.map(([part, name, tone]) => (
          <div key={part} data-tone={tone}>
            <dt>
              <i /> {name}
            </dt>
            <dd className="num">≈ {compact(sizes[part])}</dd>
          </div>
        ))}
        <div>
          <dt>{t("In, by the provider")}</dt>
          <dd className="num">{compact(inputTokens)}</dd>
        </div>
        <div>
          <dt>{t("Read from its cache")}</dt>
          <dd className="num">
            {compact(cachedInputTokens)}
            {inputTokens && cachedInputTokens !== undefined
              ? ` (${Math.round((cachedInputTokens / inputTokens) * 100)} %)`
              : ""}
          </dd>
        </div>
        {cacheWriteTokens !== undefined && (
          <div>
            <dt>{t("Put into its cache")}</dt>
            <dd className="num">{compact(cacheWriteTokens)}</dd>
          </div>
        )}
        <div>
          <dt>{t("Out")}</dt>
          <dd className="num">{compact(outputTokens)}</dd>
        </div>
        {call.window !== undefined && (
          <div>
            <dt>{t("Window of the model")}</dt>
            <dd className="num">{compact(call.window)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** Returns the usage that the provider reported for the answer that a request led to. */
const usageOf = (step: Step | undefined, id: string): Usage | undefined =>
  step && messagesOf(step).find((message) => message.id === id)?.usage;
