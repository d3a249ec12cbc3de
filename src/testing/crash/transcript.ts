import { textOf, toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";

type Own = { readonly sessionId: string; readonly folder: string };

/** The text without what differs from run to run by itself: the id of the session and the folder of the run. */
export const withoutOwn = (text: string, { sessionId, folder }: Own): string =>
  text.replaceAll(JSON.stringify(folder).slice(1, -1), "FOLDER").replaceAll(sessionId, "SESSION");

/** Returns what a conversation says, a line for each message, without ids and times. */
export function transcriptOf(messages: readonly Msg[], own: Own): readonly string[] {
  return messages.map((message) => {
    const { role, name } = message;
    const calls = toolUsesOf(message).map((call) => ({ call: call.name, input: call.input }));
    const results = toolResultsOf(message).map((result) => ({
      result: result.name,
      state: result.state,
      output: result.output,
    }));
    const said = { role, name, text: textOf(message), calls, results };
    return withoutOwn(JSON.stringify(said), own);
  });
}
