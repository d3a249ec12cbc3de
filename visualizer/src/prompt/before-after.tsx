import { useState } from "react";
import { changedMiddle } from "../logic/text-change.ts";
import { t } from "../words/t.ts";

/** So much of what stayed the same is shown beside a change. */
const MAX_AROUND = 160;

/** A text before and after a change, with only what differs highlighted. */
export function BeforeAfter({ before, after }: { readonly before: string; readonly after: string }) {
  const [isWhole, setWhole] = useState(false);
  const change = changedMiddle(before, after);
  const isLong = change.begin.length > MAX_AROUND || change.end.length > MAX_AROUND;
  const begin = isWhole ? change.begin : tail(change.begin);
  const end = isWhole ? change.end : head(change.end);
  return (
    <div className="before-after">
      <Side name="before" begin={begin} middle={change.before} end={end} />
      <Side name="after" begin={begin} middle={change.after} end={end} />
      {isLong && (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("show only what changed") : t("show the whole texts")}
        </button>
      )}
    </div>
  );
}

type SideProps = {
  readonly name: "before" | "after";
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
};

function Side({ name, begin, middle, end }: SideProps) {
  return (
    <div className={`is-${name}`} data-side={name}>
      <span className="side-name">{name}</span>
      <pre className="sent-text">
        {begin}
        {middle !== "" && (name === "before" ? <del>{middle}</del> : <ins>{middle}</ins>)}
        {end}
        {begin + middle + end === "" && <span className="muted">{t("empty")}</span>}
      </pre>
    </div>
  );
}

const tail = (text: string): string => (text.length > MAX_AROUND ? `…${text.slice(-MAX_AROUND)}` : text);
const head = (text: string): string => (text.length > MAX_AROUND ? `${text.slice(0, MAX_AROUND)}…` : text);
