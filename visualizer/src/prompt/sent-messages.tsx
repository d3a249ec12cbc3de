import { useState } from "react";
import { cut } from "../logic/json-rows.ts";
import { leftText, lineOf, type PromptComparison } from "../logic/prompt-texts.ts";
import type { LensRow, Msg, PromptLens } from "../wire/types.ts";
import { SentMessage } from "./sent-message.tsx";
import { t } from "../words/t.ts";

/** More rows than this are folded in their middle. */
const MAX_ROWS = 120;
const FIRST_ROWS = 20;
const LAST_ROWS = 80;

type Props = {
  readonly lens: PromptLens;
  /** The transcript that the request was made of. */
  readonly transcript: readonly Msg[];
  /** The common parts of the request and the one before it; undefined if they are not compared. */
  readonly comparison: PromptComparison | undefined;
};

/** The messages in the order of the request, and what was left out where it would stand. */
export function SentMessages({ lens, transcript, comparison }: Props) {
  const [isWhole, setWhole] = useState(false);
  const all = rowsWithSystem(lens);
  const same = comparison?.same ?? 0;
  const shown = all.filter((row) => row.kind === "left" || row.index >= same);
  const hidden = isWhole ? 0 : Math.max(0, shown.length - MAX_ROWS);
  const first = hidden > 0 ? shown.slice(0, FIRST_ROWS) : shown;
  const last = hidden > 0 ? shown.slice(-LAST_ROWS) : [];
  const rowOf = (row: LensRow) =>
    row.kind === "left" ? (
      <LeftOut
        key={`left ${row.from}`}
        row={row}
        call={lens.call}
        left={transcript.slice(row.from, row.to)}
      />
    ) : (
      <SentMessage
        key={row.index}
        row={row}
        message={lens.request.messages[row.index]!}
        index={row.index}
        isNew={comparison !== undefined}
      />
    );
  return (
    <section aria-labelledby="prompt-messages">
      <h3 id="prompt-messages">
        {t("Messages")} <span className="num muted">{lens.request.messages.length}</span>
      </h3>
      {same > 0 && (
        <p className="muted">
          {t("The first")} {same} {t("are the same as before and are not shown.")}
        </p>
      )}
      {first.map(rowOf)}
      {hidden > 0 && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {t("show")} {shown.length - FIRST_ROWS - LAST_ROWS} {t("more in between")}
        </button>
      )}
      {last.map(rowOf)}
    </section>
  );
}

/** The rows of a request, with one for the system message, which is not part of the conversation. */
function rowsWithSystem({ rows, request, sizes }: PromptLens): readonly LensRow[] {
  const isKnown = rows.some((row) => row.kind === "message" && row.index === 0);
  if (isKnown || request.messages[0]?.role !== "system") return rows;
  return [{ kind: "message", index: 0, from: "transcript", size: sizes.system }, ...rows];
}

/** The number of the messages that were left out that are listed at first. */
const MAX_LISTED = 3;
const MAX_LINE = 220;

type LeftProps = {
  readonly row: Extract<LensRow, { readonly kind: "left" }>;
  readonly call: PromptLens["call"];
  readonly left: readonly Msg[];
};

/** Shows the messages that were left out and the reason, with the text of the messages. */
function LeftOut({ row, call, left }: LeftProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <article className="left-out" data-left={row.by} data-tone="amber">
      <p>
        <strong>{leftText(row, call)}</strong>
      </p>
      <ul>
        {left.slice(0, isOpen ? undefined : MAX_LISTED).map((message) => (
          <li key={message.id}>
            <span className="muted">{t(message.role)}</span>{" "}
            <span>{isOpen ? lineOf(message) : cut(lineOf(message), MAX_LINE)}</span>
          </li>
        ))}
      </ul>
      {(left.length > MAX_LISTED || left.some((each) => lineOf(each).length > MAX_LINE)) && (
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("show less") : t`show all ${left.length} whole`}
        </button>
      )}
    </article>
  );
}
