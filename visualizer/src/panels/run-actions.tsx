import { Button } from "../parts/button.tsx";
import { pauseRun, resumeRun } from "../store/pause-run.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { RunCommand } from "../wire/types.ts";

/** What may be asked of the run as it stands now, whichever step is shown. */
export function Actions() {
  const can = useModel((all) => all.row?.can ?? NOTHING);
  const hasButton = can.some((each) => BUTTONS.has(each));
  const isOpen = useModel((all) => all.isConnected);
  const isReadonly = useModel((all) => all.connection.kind === "open" && all.connection.readonly);
  const isLive = useModel((all) => all.isLive);
  const last = useModel((all) => all.run.last);
  if (isReadonly) return <span className="chip">read-only</span>;
  if (!hasButton) return null;
  return (
    <div className={isLive ? "actions" : "actions is-apart"}>
      {!isLive && <span className="is-minor">applies to live step {last}</span>}
      {can.includes("steer") && (
        <Button
          icon="say"
          label="Steer"
          isDisabled={!isOpen}
          onClick={() => model.set({ dialog: { kind: "say", as: "steer" } })}
        />
      )}
      {can.includes("send") && (
        <Button
          icon="say"
          label="Message"
          isDisabled={!isOpen}
          onClick={() => model.set({ dialog: { kind: "say", as: "send", leaf: model.row?.leaf } })}
        />
      )}
      {can.includes("shutdown") && (
        <Button
          icon="pause"
          label="Pause"
          hint="P"
          title="Shut down at the next commit point; resume goes on from there"
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
          onClick={() => model.set({ dialog: { kind: "say", as: "interrupt" } })}
        />
      )}
    </div>
  );
}

const NOTHING: readonly never[] = [];
/** What is asked with a button here; the rest is asked in its own place. */
const BUTTONS: ReadonlySet<RunCommand["type"]> = new Set([
  "steer",
  "send",
  "shutdown",
  "resume",
  "interrupt",
]);
