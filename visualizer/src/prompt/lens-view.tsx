import { memo } from "react";
import type { PromptComparison } from "../logic/prompt-texts.ts";
import type { Msg, PromptLens } from "../wire/types.ts";
import { HookChanges } from "./hook-changes.tsx";
import { Offered } from "./offered.tsx";
import { RawRequest } from "./raw-request.tsx";
import { SentMessages } from "./sent-messages.tsx";
import { TokensOfPrompt } from "./tokens-of-prompt.tsx";
import { t } from "../words/t.ts";

type LensProps = {
  readonly lens: PromptLens;
  readonly transcript: readonly Msg[];
  readonly comparison: PromptComparison | undefined;
};

/** A request to the model, and why it is as it is. Drawn once for each request, also while steps arrive. */
export const Lens = memo(function Lens({ lens, transcript, comparison }: LensProps) {
  return (
    <>
      {!lens.isWhole && (
        <p className="reason" data-tone="amber">
          {t("A part of this request is no longer kept: long texts are shown with their beginning only.")}
        </p>
      )}
      {comparison ? (
        <p data-testid="comparison">
          {comparison.changes.length === 0
            ? t("The tools, the options and the model are the same.")
            : `${comparison.changes.join("; ")}.`}
        </p>
      ) : (
        <TokensOfPrompt lens={lens} />
      )}
      <HookChanges hooks={lens.hooks} />
      <SentMessages lens={lens} transcript={transcript} comparison={comparison} />
      {!comparison && <Offered lens={lens} />}
      <RawRequest lens={lens} />
    </>
  );
});
