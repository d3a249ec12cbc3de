import { useState } from "react";
import { isSame } from "../../../src/core/base/json.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { model } from "../store/model.ts";
import { openBreakpoints } from "../store/open-breakpoints.ts";
import { canFork } from "../store/open-fork.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";
import { useBreakpoints, withStep, writeBreakpoints } from "./use-breakpoints.ts";

type Props = {
  readonly isDisabled: boolean;
  /** Opens the arguments of the call; absent before a request. */
  readonly edit?: () => void;
  /** Approves the call, or has the turn go on. Resolves with the reason if that was refused. */
  readonly goOn: () => Promise<string | undefined>;
};

/** The ways on from a breakpoint at which the run has stopped. */
export default function AtBreakpoint({ isDisabled, edit, goOn }: Props) {
  const stored = useBreakpoints();
  const mayFork = useModel(canFork);
  const [error, setError] = useState<string>();
  const go = async (isStep: boolean): Promise<void> => {
    const { runId } = model.selection; // a person may go on to another run meanwhile
    const list = stored && withStep(stored.list, isStep);
    const problem = !list || isSame(list, stored.list) ? undefined : await writeBreakpoints(stored, list);
    if (model.selection.runId === runId) setError(problem ?? (await goOn()));
  };
  return (
    <div className="at-breakpoint" role="group" aria-label={t("Stopped at a breakpoint")}>
      <p>
        <Icon name="pause" /> <strong>{t("Stopped at a breakpoint")}</strong>
      </p>
      <div className="choices">
        <Button
          icon="forward"
          label={t("One step")}
          title={
            edit
              ? t("Runs this call, and stops before the next one")
              : t("Asks the model, and stops before its next call")
          }
          isDisabled={isDisabled || !stored}
          onClick={() => void go(true)}
        />
        <Button
          icon="play"
          label={t("Go on")}
          title={
            edit
              ? t("Runs this call, and goes on to the next breakpoint")
              : t("Asks the model, and goes on to the next breakpoint")
          }
          isDisabled={isDisabled}
          onClick={() => void go(false)}
        />
        {edit && (
          <Button
            label={t("Edit")}
            title={t("Edit the arguments first")}
            isDisabled={isDisabled}
            onClick={edit}
          />
        )}
        <Button
          icon="fork"
          label={t("Fork")}
          title={t("Begins a new run that waits here, too")}
          isDisabled={!mayFork}
          onClick={() => model.set({ dialog: { kind: "fork", stepNumber: model.run.last + 1 } })}
        />
        <Button tone="quiet" icon="target" label={t("Breakpoints")} onClick={() => openBreakpoints()} />
      </div>
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
