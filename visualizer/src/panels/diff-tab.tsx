import { useMemo, useState } from "react";
import { differences, pathText, type Difference } from "../logic/diff.ts";
import { orderDifferences } from "../logic/diff-order.ts";
import { isMessage } from "../logic/message-shape.ts";
import { MessageCard } from "../conversation/message-card.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { Value } from "../parts/json-value.tsx";
import { membersOf } from "../logic/json-rows.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { Json } from "../wire/types.ts";
import { useStep } from "./use-step.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

const MAX_ENTRIES = 400;
/** A longer text is cut until it is asked for. */
const MAX_TEXT_LENGTH = 2_000;

/** The changes of a step, or the differences between two steps. */
export function DiffTab() {
  const { run, stepNumber, context } = useStep();
  const compareWith = useModel((all) => all.compareWith);
  const other = compareWith ?? stepNumber - 1;
  const base = run.contextAt(other);
  const found = useMemo(() => (context && base ? differences(base, context) : []), [base, context]);
  const { telling, bookkeeping } = useMemo(() => orderDifferences(found), [found]);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  return (
    <div className="diff">
      <CompareWith stepNumber={stepNumber} />
      {!base && (
        <p className="placeholder">
          {t("Step")} {other} {t("is not loaded.")}
        </p>
      )}
      {base && found.length === 0 && (
        <p className="placeholder">
          {compareWith === null ? t("This step did not change the context.") : t("No differences.")}
        </p>
      )}
      <Entries all={telling} />
      {bookkeeping.length > 0 && (
        <details className="bookkeeping" open={telling.length === 0}>
          <summary>
            {t("Counters, times and requests (")}
            {bookkeeping.length})
          </summary>
          <Entries all={bookkeeping} />
        </details>
      )}
    </div>
  );
}

function Entries({ all }: { readonly all: readonly Difference[] }) {
  return (
    <>
      <ul>
        {all.slice(0, MAX_ENTRIES).map((one) => (
          <Entry key={pathText(one.path)} one={one} />
        ))}
      </ul>
      {all.length > MAX_ENTRIES && (
        <p className="placeholder">
          {t("and")} {all.length - MAX_ENTRIES} {t("more")}
        </p>
      )}
    </>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

function Entry({ one }: { readonly one: Difference }) {
  return (
    <li className={`change is-${one.kind}`} data-change={one.kind} data-path={pathText(one.path)}>
      <h3 className="mono">
        <b aria-label={t(one.kind)}>{SIGNS[one.kind]}</b> {pathText(one.path)}
      </h3>
      {one.before !== undefined && <Side value={one.before} side="before" />}
      {one.after !== undefined && <Side value={one.after} side="after" />}
    </li>
  );
}

const NONE = new Map<string, never>();

function Side({ value, side }: { readonly value: Json; readonly side: "before" | "after" }) {
  const [isWhole, setWhole] = useState(false);
  if (isMessage(value))
    return (
      <div className={`is-${side} is-message`}>
        <MessageCard
          item={{
            kind: "message",
            key: value.id,
            message: value,
            results: NONE,
            open: NONE,
            outputs: NONE,
            isDraft: false,
          }}
        />
      </div>
    );
  const isShort = membersOf(value).length === 0 && !(typeof value === "string" && value.includes("\n"));
  const text = isShort ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className={`is-${side}`}>
      {isShort ? (
        <Value value={value} />
      ) : (
        <div>
          <pre>{isWhole ? text : text.slice(0, MAX_TEXT_LENGTH)}</pre>
          {text.length > MAX_TEXT_LENGTH && (
            <button type="button" className="link" onClick={() => setWhole(!isWhole)}>
              {isWhole ? t("show less") : t`show all (${characters(text.length)})`}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function CompareWith({ stepNumber }: { readonly stepNumber: number }) {
  const compareWith = useModel((all) => all.compareWith);
  const last = useModel((all) => all.run.last);
  const [text, setText] = useState(String(compareWith));
  return (
    <label className="compare">
      <span>
        {t("Step")} {stepNumber} {t("compared with")}
      </span>
      <input
        className="input num"
        type="number"
        min={0}
        max={last}
        placeholder={t`${Math.max(0, stepNumber - 1)} (previous step)`}
        value={compareWith === null ? "" : text}
        onChange={({ target }) => {
          setText(target.value);
          model.set({ compareWith: target.value === "" ? null : Number(target.value) });
        }}
      />
    </label>
  );
}
