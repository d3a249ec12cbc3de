import { quarantineReason } from "../../session/format.ts";
import type { LoadedSession } from "../../store/port.ts";
import { exportSession } from "../../store/transfer.ts";
import type { Handler } from "../define-command.ts";
import { asSentence } from "../error-message.ts";
import { withSession } from "../session-commands.ts";
import type { exportSession as definition } from "./definitions.ts";
import { writeAtomically } from "./write-atomically.ts";

/** `agentchart sessions export`. */
export const exportCommand: Handler<typeof definition> = async ({ args, flags }, { stdout, terminal }) =>
  withSession({ sessionId: args.id, flags }, async (store) => {
    const { out, secrets } = flags;
    let last = "";
    const lines = tap(exportSession(store, args.id, { secrets }), (line) => (last = line));
    if (out === undefined) for await (const line of lines) stdout.write(line);
    else {
      await writeAtomically(out, lines);
      terminal.note(`Exported to ${out}.`);
    }
    const { end } = JSON.parse(last) as { end: LoadedSession & { redacted?: true } };
    if (end.redacted)
      terminal.warn("Secrets were redacted, so that the export cannot be imported: --secrets keeps them.");
    const reason = quarantineReason(end.position);
    if (reason !== undefined)
      terminal.warn(`The session is quarantined, also after an import: ${asSentence(reason)}`);
    return 0;
  });

async function* tap<T>(items: AsyncIterable<T>, onItem: (item: T) => void): AsyncGenerator<T> {
  for await (const item of items) {
    onItem(item);
    yield item;
  }
}
