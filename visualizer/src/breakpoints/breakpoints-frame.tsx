import type { ReactNode } from "react";
import { Frame } from "../dialogs/frame.tsx";
import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { canBreak } from "../store/open-breakpoints.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

type BreakpointsFrameProps = {
  readonly testId?: string;
  /** Says what a breakpoint does. */
  readonly about: ReactNode;
  /** The breakpoints in words; undefined while they are not known. */
  readonly texts: readonly string[] | undefined;
  /** True while the newest change is on its way. */
  readonly isSent: boolean;
  readonly error: string | undefined;
  /** Adds what the fields say; undefined if they say nothing yet. */
  readonly add: (() => void) | undefined;
  readonly remove: (place: number) => void;
  /** The fields of another breakpoint. */
  readonly children: ReactNode;
};

/** The dialog with a list of breakpoints, from which each can be removed, and to which another is added. */
export function BreakpointsFrame(props: BreakpointsFrameProps) {
  const { testId, about, texts, isSent, error, add, remove, children } = props;
  const isOffered = useModel(canBreak);
  const isDisabled = !texts || !isOffered || isSent;
  return (
    <Frame title={t("Breakpoints")}>
      <form
        data-testid={testId}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isDisabled) add?.();
        }}
      >
        <h2>{t("Breakpoints")}</h2>
        {about}
        {texts?.length === 0 && <p className="placeholder">{t("This run has no breakpoints.")}</p>}
        <ul className="breakpoints">
          {texts?.map((text, place) => (
            <li key={place} data-breakpoint={place}>
              <span className="mono">{text}</span>
              <Button
                tone="quiet"
                icon="cross"
                title={t`Remove ${text}`}
                isDisabled={isDisabled}
                onClick={() => remove(place)}
              />
            </li>
          ))}
        </ul>
        {children}
        {error !== undefined && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {!isOffered && (
          <p className="note">
            {t("Not available:")} {t("no process drives the run")}.
          </p>
        )}
        <footer>
          <Button tone="quiet" label={t("Close")} onClick={() => model.set({ dialog: null })} />
          <Button type="submit" icon="plus" label={t("Add the breakpoint")} isDisabled={isDisabled || !add} />
        </footer>
      </form>
    </Frame>
  );
}
