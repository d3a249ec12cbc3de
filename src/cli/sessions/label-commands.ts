import { addLabel, labelsOf, LabelReader, type Label } from "../../inspect/labels/labels.ts";
import { casesOfLabels } from "../../testing/evals/cases.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { userName } from "../person.ts";
import { formatTime, printItems, printResult } from "../output.ts";
import { withSession } from "../session-commands.ts";
import { UsageError } from "../usage-error.ts";
import type { label as labelDefinition, labels as labelsDefinition } from "./many-definitions.ts";

/** `agentchart sessions label`. */
export const labelCommand: Handler<typeof labelDefinition> = async ({ args: { id }, flags }, io) => {
  const { as, note, expected, by = userName() } = flags;
  if (as === undefined) throw new UsageError("Missing --as: right, wrong, or none to withdraw a label.");
  return withSession({ sessionId: id, flags }, async (store) => {
    const label = await addLabel(store, { sessionId: id, label: as, by, note, expected });
    printResult(io, flags, `Labelled ${id} as ${as}, by ${by}.`, label);
    return 0;
  });
};

const HEAD = ["SESSION", "LABEL", "BY", "TIME", "NOTE"];

function rowOf({ sessionId, label, by, at, note = "" }: Label): string[] {
  return [sessionId, label, by, formatTime(at), note];
}

/** `agentchart sessions labels`. */
export const labelsCommand: Handler<typeof labelsDefinition> = async ({ args: { id }, flags }, io) => {
  const { as, cases } = flags;
  if (cases && as === "none") throw new UsageError("A label that was withdrawn makes no case.");
  return withExistingStore(flags.store, async (store) => {
    if (cases) {
      for (const each of await casesOfLabels(store, as === "none" ? undefined : as))
        if (id === undefined || each.name === id) io.stdout.write(`${JSON.stringify(each)}\n`);
      return 0;
    }
    const all = flags.all ? await labelsOf(store) : [...(await new LabelReader(store).newest()).values()];
    const wanted = all.filter(
      ({ sessionId, label }) => (id === undefined || sessionId === id) && (as === undefined || label === as),
    );
    await printItems(io, flags, wanted, HEAD, rowOf, "No session is labelled so.");
    return 0;
  });
};
