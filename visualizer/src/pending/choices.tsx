import { Button } from "../parts/button.tsx";
import type { PendingItem } from "../wire/types.ts";
import type { Mode } from "./use-mode.ts";
import { t } from "../words/t.ts";

/** The extent to which an approval is remembered; "": for the call only. */
export type Remember = "" | "tool" | "input";

type Props = {
  readonly item: PendingItem;
  readonly isDisabled: boolean;
  /** The card offers ways to run the call itself, so that only those remain which do not. */
  readonly hasWaysOn: boolean;
  readonly remember: Remember;
  readonly setRemember: (remember: Remember) => void;
  readonly approve: () => void;
  readonly retry: () => void;
  readonly setMode: (mode: Mode) => void;
};

/** The decisions that are possible for an open call. */
export function Choices(props: Props) {
  const { item, isDisabled, hasWaysOn, remember, setRemember, approve, retry, setMode } = props;
  if (item.waitsFor === "unknownOutcome")
    return (
      <div className="choices">
        <Button tone="good" label={t("Run again")} hint="A" isDisabled={isDisabled} onClick={retry} />
        <Button label={t("Provide result…")} isDisabled={isDisabled} onClick={() => setMode("answer")} />
        <Button
          tone="bad"
          label={t("Deny…")}
          hint="R"
          isDisabled={isDisabled}
          onClick={() => setMode("deny")}
        />
      </div>
    );
  return (
    <div className="choices">
      {!hasWaysOn && (
        <Button
          tone="good"
          icon="check"
          label={t("Approve")}
          hint="A"
          isDisabled={isDisabled}
          onClick={approve}
        />
      )}
      {!hasWaysOn && !item.ask && (
        <Button label={t("Edit…")} hint="E" isDisabled={isDisabled} onClick={() => setMode("edit")} />
      )}
      <Button
        tone="bad"
        label={t("Deny…")}
        hint="R"
        isDisabled={isDisabled}
        onClick={() => setMode("deny")}
      />
      {!item.ask && (
        <Button
          tone="quiet"
          label={t("Answer…")}
          title={t("Provide the result yourself; the tool does not run")}
          isDisabled={isDisabled}
          onClick={() => setMode("answer")}
        />
      )}
      {item.waitsFor === "approval" && !hasWaysOn && !item.ask && (
        <label className="remember">
          <span>{t("Remember approval")}</span>
          <select
            className="input"
            value={remember}
            disabled={isDisabled}
            onChange={({ target }) => setRemember(target.value as Remember)}
          >
            <option value="">{t("for this call only")}</option>
            <option value="input">{t("for the same arguments")}</option>
            <option value="tool">{t("for this tool")}</option>
          </select>
        </label>
      )}
    </div>
  );
}
