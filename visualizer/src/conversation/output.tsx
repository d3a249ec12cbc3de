import { useMemo, useState } from "react";
import { isObject } from "../../../src/core/base/json.ts";
import { compact } from "../logic/format.ts";
import { formattedJson } from "../logic/formatted-json.ts";
import { isBlob } from "../logic/json-rows.ts";
import { BlobLink } from "../parts/json-value.tsx";
import { boundOf } from "../logic/shown-part.ts";
import { useDisplayed } from "../store/displayed-step.ts";
import { Media } from "./media.tsx";
import type { Json, ToolResultBlock } from "../wire/types.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

const MAX_HEAD_LENGTH = 700;
const MAX_HEAD_LINES = 9;

/** The result of a tool; JSON on one line is formatted. */
export function Output({ result }: { readonly result: ToolResultBlock }) {
  return (
    <div className="output" data-result={result.state}>
      {result.code !== undefined && (
        <span className="badge mono" data-tone="red">
          {result.code}
        </span>
      )}
      {result.output.map((part, index) =>
        "text" in part ? <Text key={index} text={part.text} /> : <Media key={index} block={part} />,
      )}
      <ShownPart result={result} />
      {result.output.length === 0 && <span className="muted">{t("no output")}</span>}
    </div>
  );
}

/** Says that the model sees a part of a large result. */
function ShownPart({ result }: { readonly result: ToolResultBlock }) {
  const settings = useDisplayed(
    ({ displayed: { run, stepNumber } }) => run.contextAt(stepNumber)?.["settings"],
  );
  const bound = boundOf(result, isObject(settings) ? settings : undefined);
  if (bound === undefined) return null;
  return (
    <p className="reason">
      {t("Too large: the model sees a part of it, the beginning and the end. The bound is")} {compact(bound)}{" "}
      {t("tokens.")}
    </p>
  );
}

function Text({ text }: { readonly text: Json }) {
  const [isExpanded, setExpanded] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const given = isBlob(text) ? text.head : String(text);
  const formatted = useMemo(() => (isBlob(text) ? undefined : formattedJson(given)), [text, given]);
  const all = isRaw ? given : (formatted ?? given);
  const head = all.slice(0, MAX_HEAD_LENGTH).split("\n").slice(0, MAX_HEAD_LINES).join("\n");
  const isLong = isBlob(text) || head.length < all.length;
  return (
    <>
      <pre>{isExpanded && !isBlob(text) ? all : head}</pre>
      {(isLong || formatted !== undefined) && (
        <p className="output-actions">
          {isBlob(text) ? (
            <BlobLink {...text} />
          ) : (
            isLong && (
              <button type="button" className="link" onClick={() => setExpanded(!isExpanded)}>
                {isExpanded ? t("show less") : t`show all (${characters(all.length)})`}
              </button>
            )
          )}
          {formatted !== undefined && (
            <button type="button" className="link" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              {isRaw ? t("formatted") : t("as the model gets it")}
            </button>
          )}
        </p>
      )}
    </>
  );
}
