import { accountLines } from "../../../src/core/message/account.ts";
import { argumentChanges, resultChange } from "../logic/call-account.ts";
import { BeforeAfter } from "../prompt/before-after.tsx";
import type { CallAccount, Json } from "../wire/types.ts";

type Props = { readonly asked: Json; readonly account: CallAccount | undefined };

/** Shows the account of a call before it ran: who changed its arguments, why it asked, who decided. */
export function BeforeRun({ asked, account, isOver }: Props & { readonly isOver: boolean }) {
  const { asked: reasons, decided, ran } = account ?? {};
  const presets = Array.isArray(ran?.presets) ? ran.presets.map(String) : [];
  return (
    <>
      {argumentChanges(asked, account).map(({ who, before, after }, index) => (
        <div key={index} className="account-change">
          <p className="note">Its arguments were changed by {who}.</p>
          <BeforeAfter before={before} after={after} />
        </div>
      ))}
      {accountLines({ ...(isOver && reasons && { asked: reasons }), ...(decided && { decided }) }).map(
        (line) => (
          <p key={line} className="note">
            {line}
          </p>
        ),
      )}
      {presets.length > 0 && <p className="note">The program added: {presets.join(", ")}.</p>}
    </>
  );
}

/** Shows the account of the result of a call before it was stored. */
export function AfterRun({ account }: Pick<Props, "account">) {
  const text = resultChange(account);
  return text === "" ? null : <p className="note">{text}</p>;
}
