import { isObject } from "../../src/core/base/json.ts";
import { accountLines } from "../../src/core/message/account.ts";
import type { CallAccount } from "../../src/core/message/types.ts";
import type { UIPart } from "../../src/core/event/conversation/message-fold.ts";
import { localTime } from "../src/logic/format.ts";
import { cut } from "../src/logic/json-rows.ts";
import { Icon, type IconName } from "../src/parts/icon.tsx";
import { noted } from "../src/words/said.ts";
import { t } from "../src/words/t.ts";

type Style = { readonly icon: IconName; readonly tone: string; readonly label: string };

const STYLES: { readonly [state: string]: Style } = {
  "input-streaming": { icon: "play", tone: "cyan", label: t("is being written") },
  "input-available": { icon: "play", tone: "cyan", label: t("called") },
  "approval-requested": { icon: "hand", tone: "amber", label: t("needs approval") },
  "output-available": { icon: "check", tone: "green", label: t("done") },
  "output-error": { icon: "cross", tone: "red", label: t("failed") },
  "output-denied": { icon: "hand", tone: "red", label: t("denied") },
};
const RUNNING: Style = { icon: "play", tone: "cyan", label: t("running") };

/** What became of a call beside its result: each line for a reader, and with exact times. */
function linesOf({ toolMetadata }: UIPart): readonly (readonly [line: string, exact: string])[] {
  const account = isObject(toolMetadata) ? toolMetadata["account"] : undefined;
  if (!isObject(account)) return [];
  const exact = accountLines(account as CallAccount);
  return accountLines(account as CallAccount, localTime).map((line, at) => [line, exact[at]!]);
}

/** The length of arguments and of a result on one line; the rest is behind a click. */
const LINE = 160;

/** The arguments on one line, with their values. */
const lineOf = (input: unknown): string =>
  cut(
    isObject(input)
      ? Object.entries(input)
          .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
          .join(", ") || "{}"
      : JSON.stringify(input),
    LINE,
  );

const textOf = (output: unknown): string =>
  typeof output === "string" ? output : (JSON.stringify(output, null, 2) ?? "");

/** A call of a tool: the arguments with which it ran, who decided and what became of it, and its result. */
export function CallView({ part }: { readonly part: UIPart }) {
  const state = String(part["state"]);
  const style = part["preliminary"] === true ? RUNNING : (STYLES[state] ?? RUNNING);
  const { input = {}, output, errorText } = part;
  const result = textOf(errorText ?? output).trim();
  return (
    <>
      <details
        className="call"
        data-tone={style.tone}
        data-call={String(part["toolCallId"])}
        data-call-state={state}
      >
        <summary className="call-head">
          <Icon name="tool" />
          <strong className="mono">{String(part["toolName"])}</strong>
          <span className="mono muted args">{lineOf(input)}</span>
          <span className="spacer" />
          <span className="badge">
            <Icon name={style.icon} /> {style.label}
          </span>
        </summary>
        <pre className="args" tabIndex={0} aria-label={t("Arguments")}>
          {JSON.stringify(input, null, 2)}
        </pre>
        {errorText !== undefined && <pre className="error">{String(errorText)}</pre>}
        {output !== undefined && (
          <pre tabIndex={0} aria-label={t("Result")}>
            {textOf(output)}
          </pre>
        )}
      </details>
      <div className="call-notes">
        {linesOf(part).map(([line, exact]) => (
          <p key={exact} className="note" title={line === exact ? undefined : exact}>
            {noted(line)}
          </p>
        ))}
        {result !== "" && <p className="note mono">→ {cut(result.replaceAll(/\s+/g, " "), LINE)}</p>}
      </div>
    </>
  );
}
