import { useMemo, useState } from "react";
import { isMessage } from "../logic/message-shape.ts";
import { otherPrompt, promptAt, type PromptPlace } from "../logic/prompt-steps.ts";
import { comparePrompts, phaseText } from "../logic/prompt-texts.ts";
import { Button } from "../parts/button.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { useStep } from "../panels/use-step.ts";
import { goTo } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { workLog } from "../store/work-log.ts";
import type { JsonObject, Msg, RecordedCall } from "../wire/types.ts";
import { Lens } from "./lens-view.tsx";
import { useLens } from "./use-lens.ts";
import { t } from "../words/t.ts";

/** The request to the model that the step is about: the one that it ended, else the newest one before it. */
export function PromptTab() {
  const { stepNumber, step, context } = useStep();
  const index = useModel((all) => all.chart?.index);
  const run = useModel((all) => all.run);
  if (!step || !context) return <MissingStep stepNumber={stepNumber} />;
  const hasEnded = workLog(run, index)
    .endedAt(stepNumber)
    .some(({ kind }) => kind === "model");
  const place = promptAt(run, stepNumber, hasEnded);
  if (!place) return <p className="placeholder">{missingText(context)}</p>;
  return (
    <div className="prompt">
      <Request key={place.call.id} place={place} />
    </div>
  );
}

/** Returns the reason for which a step has no request. */
function missingText({ messages }: JsonObject): string {
  const isAnswered =
    Array.isArray(messages) && messages.some((each) => isMessage(each) && each.role === "assistant");
  return isAnswered
    ? t("The requests of this run are not recorded: an older release ran it.")
    : t("The model was not asked up to this step.");
}

function Request({ place }: { readonly place: PromptPlace }) {
  const [isCompared, setCompared] = useState(false);
  const run = useModel((all) => all.run);
  const version = useModel((all) => all.run.version);
  const { before, after } = useMemo(
    () => ({ before: otherPrompt(run, place, -1), after: otherPrompt(run, place, 1) }),
    [run, version, place.call.id, place.at],
  );
  const transcript = useMemo(
    () => transcriptOf(run.contextAt(place.call.step) ?? run.contextAt(place.at)),
    [run, place.call.id],
  );
  const loaded = useLens(place);
  const other = useLens(isCompared ? before : undefined);
  const comparison = useMemo(
    () =>
      isCompared && loaded.kind === "ready" && other.kind === "ready"
        ? comparePrompts(other.lens, loaded.lens)
        : undefined,
    [isCompared, loaded, other],
  );
  return (
    <>
      <Head call={place.call} before={before} after={after} />
      {loaded.kind === "loading" && (
        <p className="placeholder" role="status">
          {t("Loading the request …")}
        </p>
      )}
      {loaded.kind === "failed" && (
        <div className="placeholder">
          <p role="alert">
            {t("The request cannot be shown:")} {loaded.message}
          </p>
          <Button label={t("Try again")} onClick={loaded.retry} />
        </div>
      )}
      {loaded.kind === "ready" && (
        <>
          {before && (
            <label className="compare-before">
              <input
                type="checkbox"
                checked={isCompared}
                onChange={({ target }) => setCompared(target.checked)}
              />
              {t("Only what differs from request")} {before.call.number}
            </label>
          )}
          {isCompared && other.kind === "failed" && <p className="error">{other.message}</p>}
          <Lens lens={loaded.lens} transcript={transcript} comparison={comparison} />
        </>
      )}
    </>
  );
}

/** The messages of a context that can be displayed, in their places. */
function transcriptOf(context: JsonObject | undefined): readonly Msg[] {
  const messages = context?.["messages"];
  return Array.isArray(messages) ? messages.map((each) => (isMessage(each) ? each : UNREADABLE)) : [];
}

const UNREADABLE: Msg = { id: "", role: "system", name: "", content: [], metadata: {}, timestamp: 0 };

type HeadProps = {
  readonly call: RecordedCall;
  readonly before: PromptPlace | undefined;
  readonly after: PromptPlace | undefined;
};

/** The number of the request, and the ways to the ones beside it. */
function Head({ call, before, after }: HeadProps) {
  const { number, model: name, provider, attempt, isFallback, turn, iteration } = call;
  const phase = phaseText(call);
  return (
    <header className="prompt-head">
      <h2>
        {t("Request")} {number} <span className="mono">{name}</span>
      </h2>
      <span className="spacer" />
      <Button
        tone="quiet"
        icon="back"
        title={t("The request before")}
        isDisabled={!before}
        onClick={() => before && goTo(before.at)}
      />
      <Button
        tone="quiet"
        icon="forward"
        title={t("The next request")}
        isDisabled={!after}
        onClick={() => after && goTo(after.at)}
      />
      <p className="muted">
        {[
          ...(phase === "" ? [] : [phase]),
          t`turn ${turn}`,
          t`iteration ${iteration + 1}`,
          ...(attempt > 1 ? [t`attempt ${attempt}`] : []),
          ...(provider === undefined ? [] : [provider]),
        ].join(" · ")}{" "}
        {isFallback && (
          <span className="badge" data-tone="amber">
            {t("fallback model")}
          </span>
        )}
      </p>
    </header>
  );
}
