import * as s from "../base/option-schema.ts";
import { Transcript } from "../message/transcript.ts";
import { checkMessages } from "../message/validate.ts";
import { checkHistory } from "../session/check-history.ts";
import type { Runtime } from "./runtime.ts";
import type { Agent } from "./types.ts";

type Change = Parameters<Agent["edit"]>[0];

/** The schema of the argument of {@link Agent.edit}. */
export const editSchema = s.lazily(() => s.func<Change>());

/** See {@link Agent.edit}. `change` and the command run in one tick, so that no step comes in between. */
export async function editSession(runtime: Runtime, change: Change): Promise<void> {
  runtime.assertAccepts("call");
  const { context } = runtime;
  const before = context.transcript.slice();
  const at = runtime.now();
  const refused = runtime.refusal({ type: "session.edit", at, messages: before });
  if (refused) throw refused;
  const messages = checkMessages(change(before), "edit: the messages");
  checkHistory({ ...context, transcript: Transcript.of(messages) }, "edit", "message/invalid");
  await runtime.command({ type: "session.edit", at, messages });
  await runtime.journal.saved();
}
