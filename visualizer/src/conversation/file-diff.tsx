import { useState } from "react";
import { isObject } from "../../../src/core/base/json.ts";
import { t } from "../words/t.ts";

const MAX_LINES = 20;
const KINDS: { readonly [sign: string]: string } = { "+": "added", "-": "removed", "@": "place" };

/** The lines of a difference, with a line that says where each part of it begins; none for a value that is not a difference. */
function linesOf(diff: unknown): readonly string[] {
  const hunks = isObject(diff) && Array.isArray(diff["hunks"]) ? (diff["hunks"] as readonly unknown[]) : [];
  return hunks.flatMap((hunk) => {
    if (!isObject(hunk) || !Array.isArray(hunk["lines"])) return [];
    return [`@ ${t("line")} ${String(hunk["newStart"])}`, ...hunk["lines"].map(String)];
  });
}

/** Shows the changes that a tool has made in a file. */
export function FileDiff({ diff }: { readonly diff: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const lines = linesOf(diff);
  if (lines.length === 0) return null;
  const shown = isWhole ? lines : lines.slice(0, MAX_LINES);
  return (
    <>
      <pre className="file-diff" aria-label={t("What was changed")}>
        {shown.map((line, at) => (
          <span key={at} data-line={KINDS[line[0] ?? ""] ?? "same"}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > MAX_LINES && (
        <button type="button" className="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("show less") : t`show all ${lines.length} lines`}
        </button>
      )}
    </>
  );
}
