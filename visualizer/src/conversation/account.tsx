import { accountLines } from "../../../src/core/message/account.ts";
import { argumentChanges, resultChange } from "../logic/call-account.ts";
import { localTime } from "../logic/format.ts";
import { BeforeAfter } from "../prompt/before-after.tsx";
import { WithCode } from "../parts/with-code.tsx";
import { callsOf, type Work } from "../logic/work.ts";
import { model } from "../store/model.ts";
import type { CallAccount, Json, ToolResultBlock } from "../wire/types.ts";
import { noted } from "../words/said.ts";
import { t } from "../words/t.ts";

type Props = { readonly asked: Json; readonly account: CallAccount | undefined };

/** Shows the account of a call before it ran: who changed its arguments, why it asked, who decided. */
export function BeforeRun({ asked, account, isOver }: Props & { readonly isOver: boolean }) {
  const { asked: reasons, decided, rules, ran } = account ?? {};
  const presets = Array.isArray(ran?.presets) ? ran.presets.map(String) : [];
  const before = {
    ...(isOver && reasons && { asked: reasons }),
    ...(decided && { decided }),
    ...(rules && { rules }),
  };
  const exact = accountLines(before);
  return (
    <>
      {argumentChanges(asked, account).map(({ who, before, after }, index) => (
        <div key={index} className="account-change">
          <p className="note">
            {t("Its arguments were changed by")} {who}.
          </p>
          <BeforeAfter before={before} after={after} />
        </div>
      ))}
      {accountLines(before, localTime).map((line, index) => (
        <p key={exact[index]} className="note" title={line === exact[index] ? undefined : exact[index]}>
          <WithCode text={noted(line)} />
        </p>
      ))}
      {presets.length > 0 && (
        <p className="note">
          {t("The program added:")} {presets.join(", ")}.
        </p>
      )}
    </>
  );
}

type AfterProps = Pick<Props, "account"> & {
  readonly result: ToolResultBlock | undefined;
  readonly attempts: readonly Work[];
};

/** Shows the account of the result of a call before it was stored: who changed it, and what the tool had returned, as far as it is known. */
export function AfterRun({ account, result, attempts }: AfterProps) {
  const text = resultChange(account);
  if (text === "") return null;
  const before = returnedBy(attempts);
  const after = textOfResult(result);
  const isKnown = before !== undefined && after !== undefined && before !== after;
  return (
    <div className="account-change">
      <p className="note">{text}</p>
      {isKnown && <BeforeAfter before={before} after={after} />}
    </div>
  );
}

/** The text of what the last attempt returned, before hooks; undefined if the step that ended it is not loaded, or does not have it. */
function returnedBy(attempts: readonly Work[]): string | undefined {
  const { callId, to } = attempts.at(-1) ?? {};
  if (to === undefined) return undefined;
  const record = callsOf(model.run.contextAt(to) ?? {}).find(({ call }) => call.id === callId);
  return textOfResult(record?.result);
}

/** The text of a result; undefined for one with other parts or with long texts, of which only the beginning is here. */
function textOfResult(result: ToolResultBlock | undefined): string | undefined {
  const parts = result?.output.map((part) => ("text" in part ? part.text : null));
  return parts?.every((part) => typeof part === "string") ? parts.join("\n") : undefined;
}
