import * as sdk from "@agentclientprotocol/sdk";

/** What a person at an editor chooses; undefined cancels. */
export type Choose = (
  request: sdk.RequestPermissionRequest,
) => string | undefined | Promise<string | undefined>;

/** An editor: what it is told, what it is asked, and what its person chooses. */
export function editor(choose: Choose = () => "allow_once") {
  const updates: sdk.SessionUpdate[] = [];
  const asked: sdk.RequestPermissionRequest[] = [];
  const app = sdk
    .client({ name: "editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", async ({ params }) => {
      asked.push(params);
      const optionId = await choose(params);
      return {
        outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
      };
    });
  const said = (): string =>
    updates
      .map((update) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
          ? update.content.text
          : "",
      )
      .join("");
  const callsIn = (): unknown[] =>
    updates.flatMap((update) =>
      update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
        ? [[update.toolCallId, update.status]]
        : [],
    );
  return { app, updates, asked, said, callsIn };
}
