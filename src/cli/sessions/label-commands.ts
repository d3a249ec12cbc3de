import { userInfo } from "node:os";
import { addLabel, labelsOf, LabelReader } from "../../inspect/labels/labels.ts";
import { casesOfLabels } from "../../testing/evals/cases.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems, printResult } from "../output.ts";
import { explainSessionErrors } from "../session-commands.ts";
import { UsageError } from "../usage-error.ts";
import type { label as labelDefinition, labels as labelsDefinition } from "./many-definitions.ts";

/** `agentchart sessions label`. */
export const labelCommand: Handler<typeof labelDefinition> = async ({ args: { id }, flags }, io) => {
  const { as, note, expected, by = userInfo().username } = flags;
  if (as === undefined) throw new UsageError("Missing --as: right, wrong, or none to withdraw a label.");
  return withExistingStore(flags.store, (store) =>
    explainSessionErrors({ sessionId: id, flags }, async () => {
      const given = { sessionId: id, label: as, by, ...(note !== undefined && { note }) };
      const label = await addLabel(store, { ...given, ...(expected !== undefined && { expected }) });
      printResult(io, flags, `Labelled ${id} as ${as}, by ${by}.`, label);
      return 0;
    }),
  );
};

const HEAD = ["SESSION", "LABEL", "BY", "TIME", "NOTE"];

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
    async function* items() {
      yield* wanted;
    }
    await printItems(
      io,
      flags,
      items(),
      HEAD,
      ({ sessionId, label, by, at, note = "" }) => [sessionId, label, by, formatTime(at), note],
      "No session is labelled so.",
    );
    return 0;
  });
};
