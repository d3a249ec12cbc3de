import { useMemo, useState } from "react";
import { differences, pathText, type Difference } from "../logic/diff.ts";
import { Nothing } from "../parts/nothing.tsx";
import { Value } from "../parts/json-value.tsx";
import { membersOf } from "../logic/json-rows.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { Json } from "../wire/types.ts";
import { useStep } from "./use-step.ts";

const SHOWN = 400;
const LONGEST = 12_000;

/** What a step changed, or how two steps differ. */
export function DiffTab() {
  const { q, context, before } = useStep();
  const compareWith = useModel((all) => all.compareWith);
  const other = useModel((all) =>
    all.compareWith === null ? undefined : all.run.contextAt(all.compareWith),
  );
  const base = compareWith === null ? before : other;
  const found = useMemo(() => (context ? differences(base ?? {}, context) : []), [base, context]);
  if (!context) return <Nothing q={q} />;
  return (
    <div className="diff">
      <CompareWith q={q} />
      {compareWith !== null && !other && <p className="nothing">Step {compareWith} is not here.</p>}
      {found.length === 0 && (
        <p className="nothing">
          {compareWith === null ? "This step left context as it was." : "No difference."}
        </p>
      )}
      <ul>
        {found.slice(0, SHOWN).map((one) => (
          <Entry key={pathText(one.path)} one={one} />
        ))}
      </ul>
      {found.length > SHOWN && <p className="nothing">and {found.length - SHOWN} more</p>}
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
          {text.slice(0, LONGEST)}
          {text.length > LONGEST && " …"}
        </pre>
      )}
    </div>
  );
}

function CompareWith({ q }: { readonly q: number }) {
  const compareWith = useModel((all) => all.compareWith);
  const last = useModel((all) => all.run.last);
  const [text, setText] = useState(String(compareWith));
  return (
    <label className="compare">
      <span>Step {q} compared with</span>
      <input
        className="input num"
        type="number"
        min={0}
        max={last}
        placeholder={`${Math.max(0, q - 1)} (before it)`}
        value={compareWith === null ? "" : text}
        onChange={({ target }) => {
          setText(target.value);
          model.set({ compareWith: target.value === "" ? null : Number(target.value) });
        }}
      />
    </label>
  );
}
