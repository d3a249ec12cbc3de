import { useState } from "react";
import { Button } from "../parts/button.tsx";
import type { Decision, PendingItem } from "../wire/types.ts";
import type { Mode } from "./use-mode.ts";

type Props = {
  readonly item: PendingItem;
  readonly isOff: boolean;
  readonly decide: (decision: Decision) => void;
  readonly setMode: (mode: Mode) => void;
};

/** The decisions that there are for a kind of waiting. */
export function Choices({ item, isOff, decide, setMode }: Props) {
  const [remember, setRemember] = useState<"" | "tool" | "input">("");
  if (item.waitsFor === "unknownOutcome")
    return (
      <div className="choices">
        <Button
          tone="good"
          label="Run it again"
          hint="A"
          isDisabled={isOff}
          onClick={() => decide("retry")}
        />
        <Button label="Give its result…" isDisabled={isOff} onClick={() => setMode("answer")} />
        <Button tone="bad" label="Deny…" hint="R" isDisabled={isOff} onClick={() => setMode("deny")} />
      </div>
    );
  return (
    <div className="choices">
      <Button
        tone="good"
        icon="check"
        label="Approve"
        hint="A"
        isDisabled={isOff}
        onClick={() => decide(remember === "" ? "approve" : { approve: true, remember })}
      />
      <Button label="Edit…" hint="E" isDisabled={isOff} onClick={() => setMode("edit")} />
      <Button tone="bad" label="Deny…" hint="R" isDisabled={isOff} onClick={() => setMode("deny")} />
      <Button
        tone="quiet"
        label="Answer…"
        title="Give the result yourself; the tool does not run"
        isDisabled={isOff}
        onClick={() => setMode("answer")}
      />
      {item.waitsFor === "approval" && (
        <label className="remember">
          <span>An approval holds</span>
          <select
            className="input"
            value={remember}
            disabled={isOff}
            onChange={({ target }) => setRemember(target.value as typeof remember)}
          >
            <option value="">for this call only</option>
            <option value="input">for the same arguments later, too</option>
            <option value="tool">for this tool always</option>
          </select>
        </label>
      )}
    </div>
  );
}
