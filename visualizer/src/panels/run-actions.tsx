import { Button } from "../parts/button.tsx";
import { pauseRun, resumeRun } from "../store/pause-run.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { RunCommand } from "../wire/types.ts";

/** The commands that are available for the run, whichever step is displayed. */
export function Actions() {
  const can = useModel((all) => all.row?.can ?? NO_COMMANDS);
  const hasButton = can.some((each) => BUTTONS.has(each));
  const isOpen = useModel((all) => all.isConnected);
  const isReadonly = useModel((all) => all.connection.kind === "open" && all.connection.readonly);
  const isLive = useModel((all) => all.isLive);
  const last = useModel((all) => all.run.last);
  if (isReadonly) return <span className="badge">read-only</span>;
  if (!hasButton) return null;
  return (
    <div className={isLive ? "actions" : "actions is-apart"}>
      {!isLive && <span className="is-minor">applies to live step {last}</span>}
      {can.includes("steer") && (
        <Button
          icon="message"
          label="Steer"
          isDisabled={!isOpen}
          onClick={() => model.set({ dialog: { kind: "message", action: "steer" } })}
        />
      )}
      {can.includes("send") && (
        <Button
          icon="message"
          label="Message"
          isDisabled={!isOpen}
          onClick={() =>
            model.set({ dialog: { kind: "message", action: "send", revision: model.row?.leaf } })
          }
        />
      )}
      {can.includes("compact") && (
        <Button
          icon="compact"
          label="Sum up"
          title="Sums up the conversation, so that the next prompt is shorter"
          isDisabled={!isOpen}
          onClick={() =>
            model.set({ dialog: { kind: "message", action: "compact", revision: model.row?.leaf } })
          }
        />
      )}
      {can.includes("shutdown") && (
        <Button
          icon="pause"
          label="Pause"
          hint="P"
          title="Stops at the next commit point; Resume continues from there"
          isDisabled={!isOpen}
          onClick={pauseRun}
        />
      )}
      {can.includes("resume") && (
        <Button icon="play" label="Resume" hint="P" isDisabled={!isOpen} onClick={resumeRun} />
      )}
      {can.includes("interrupt") && (
        <Button
          icon="stop"
          label="Interrupt"
          tone="bad"
          isDisabled={!isOpen}
          onClick={() => model.set({ dialog: { kind: "message", action: "interrupt" } })}
        />
      )}
    </div>
  );
}

const NO_COMMANDS: readonly never[] = [];
/** The commands with a button here; the others have their own place. */
const BUTTONS: ReadonlySet<RunCommand["type"]> = new Set([
  "steer",
  "send",
  "compact",
  "shutdown",
  "resume",
  "interrupt",
]);
