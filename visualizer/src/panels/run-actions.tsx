import { Button } from "../parts/button.tsx";
import type { IconName } from "../parts/icon.tsx";
import { pauseRun, resumeRun } from "../store/pause-run.ts";
import { model } from "../store/model.ts";
import { canBreak, openBreakpoints } from "../store/open-breakpoints.ts";
import { useModel } from "../store/use-model.ts";
import type { RunCommand } from "../wire/types.ts";
import { t } from "../words/t.ts";

type Action = {
  readonly type: RunCommand["type"];
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly title?: string;
  readonly tone?: "bad";
  /** A phone shows it beside the state of the run; the others are in its menu. */
  readonly isUrgent?: true;
  readonly onChoose: () => void;
};

/** The commands with a button in the header; the others have their own place. */
const ACTIONS: readonly Action[] = [
  {
    type: "steer",
    icon: "message",
    label: t("Steer"),
    onChoose: () => model.set({ dialog: { kind: "message", action: "steer" } }),
  },
  {
    type: "send",
    icon: "message",
    label: t("Message"),
    onChoose: () => model.set({ dialog: { kind: "message", action: "send", revision: model.row?.leaf } }),
  },
  {
    type: "compact",
    icon: "compact",
    label: t("Sum up"),
    title: t("Sums up the conversation, so that the next prompt is shorter"),
    onChoose: () => model.set({ dialog: { kind: "message", action: "compact", revision: model.row?.leaf } }),
  },
  {
    type: "shutdown",
    icon: "pause",
    label: t("Pause"),
    hint: "P",
    title: t("Stops at the next commit point, an actor before its next event; Resume continues from there"),
    onChoose: pauseRun,
  },
  { type: "setSlot", icon: "target", label: t("Breakpoints"), onChoose: () => openBreakpoints() },
  { type: "resume", icon: "play", label: t("Resume"), hint: "P", isUrgent: true, onChoose: resumeRun },
  {
    type: "interrupt",
    icon: "stop",
    label: t("Interrupt"),
    tone: "bad",
    isUrgent: true,
    onChoose: () => model.set({ dialog: { kind: "message", action: "interrupt" } }),
  },
];

const NO_COMMANDS: readonly never[] = [];

/** Returns the commands that are available for the run, and whether they can be sent now. */
export function useActions(): { readonly actions: readonly Action[]; readonly isOpen: boolean } {
  const can = useModel((all) => (all.isAboutRun && all.row?.can) || NO_COMMANDS);
  const isOpen = useModel((all) => all.isConnected);
  const isReadonly = useModel((all) => all.connection.kind === "open" && all.connection.readonly);
  const canStop = useModel((all) => all.isAboutRun && canBreak(all));
  const isOffered = ({ type }: Action): boolean => (type === "setSlot" ? canStop : can.includes(type));
  return { actions: isReadonly ? [] : ACTIONS.filter(isOffered), isOpen };
}

/** The commands that are available for the run, whichever step is displayed. */
export function Actions() {
  const { actions, isOpen } = useActions();
  const isReadonly = useModel((all) => all.connection.kind === "open" && all.connection.readonly);
  const isLive = useModel((all) => all.isLive);
  const last = useModel((all) => all.run.last);
  if (isReadonly) return <span className="badge">{t("read-only")}</span>;
  if (actions.length === 0) return null;
  return (
    <div className={isLive ? "actions" : "actions is-apart"}>
      {!isLive && (
        <span className="is-minor">
          {t("applies to live step")} {last}
        </span>
      )}
      {actions.map(({ type, onChoose, isUrgent, ...button }) => (
        <Button
          key={type}
          {...button}
          isDisabled={!isOpen}
          {...(!isUrgent && { className: "is-in-menu" })}
          onClick={onChoose}
        />
      ))}
    </div>
  );
}
