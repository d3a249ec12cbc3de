import { useMemo, useState } from "react";
import { differences, pathText, type Difference } from "../logic/diff.ts";
import { MissingStep } from "../parts/missing-step.tsx";
import { Value } from "../parts/json-value.tsx";
import { membersOf } from "../logic/json-rows.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { Json } from "../wire/types.ts";
import { useStep } from "./use-step.ts";

const MAX_ENTRIES = 400;
const MAX_TEXT_LENGTH = 12_000;

/** The changes of a step, or the differences between two steps. */
export function DiffTab() {
  const { stepNumber, context, before } = useStep();
  const compareWith = useModel((all) => all.compareWith);
  const other = useModel((all) =>
    all.compareWith === null ? undefined : all.run.contextAt(all.compareWith),
  );
  const base = compareWith === null ? before : other;
  const found = useMemo(() => (context ? differences(base ?? {}, context) : []), [base, context]);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  return (
    <div className="diff">
      <CompareWith stepNumber={stepNumber} />
      {compareWith !== null && !other && <p className="placeholder">Step {compareWith} is not loaded.</p>}
      {found.length === 0 && (
        <p className="placeholder">
          {compareWith === null ? "This step did not change the context." : "No differences."}
        </p>
      )}
      <ul>
        {found.slice(0, MAX_ENTRIES).map((one) => (
          <Entry key={pathText(one.path)} one={one} />
        ))}
      </ul>
      {found.length > MAX_ENTRIES && <p className="placeholder">and {found.length - MAX_ENTRIES} more</p>}
    </div>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

function Entry({ one }: { readonly one: Difference }) {
  return (
    <li className={`change is-${one.kind}`} data-change={one.kind} data-path={pathText(one.path)}>
      <h3 className="mono">
        <b aria-label={one.kind}>{SIGNS[one.kind]}</b> {pathText(one.path)}
      </h3>
      {one.before !== undefined && <Side value={one.before} side="before" />}
      {one.after !== undefined && <Side value={one.after} side="after" />}
    </li>
  );
}

function Side({ value, side }: { readonly value: Json; readonly side: "before" | "after" }) {
  const isShort = membersOf(value).length === 0 && !(typeof value === "string" && value.includes("\n"));
  const text = isShort ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className={`is-${side}`}>
      {isShort ? (
        <Value value={value} />
      ) : (
        <pre tabIndex={0}>
          {text.slice(0, MAX_TEXT_LENGTH)}
          {text.length > MAX_TEXT_LENGTH && " …"}
        </pre>
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
      <span>Step {stepNumber} compared with</span>
      <input
        className="input num"
        type="number"
        min={0}
        max={last}
        placeholder={`${Math.max(0, stepNumber - 1)} (previous step)`}
        value={compareWith === null ? "" : text}
        onChange={({ target }) => {
          setText(target.value);
          model.set({ compareWith: target.value === "" ? null : Number(target.value) });
        }}
      />
    </label>
  );
}
