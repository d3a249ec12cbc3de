import { openHub, type Hub } from "agentchart/team";
import type { Handle } from "./handle.ts";
import { toMsg } from "./messages.ts";
import type { InputMsg } from "./shapes.ts";

type HubSpec = {
  readonly participants: readonly Handle[];
  readonly announcement: readonly InputMsg[];
  readonly autoBroadcast: boolean;
};

/** A message that agents observe: system messages are the agents' own. */
const observed = (messages: readonly InputMsg[]) =>
  messages.map((message) => toMsg(message.role === "system" ? { ...message, role: "user" } : message));

/** A hub of the suite: it opens when it is entered. */
export function createHub({ participants, announcement, autoBroadcast }: HubSpec) {
  let hub: Hub | undefined;
  return {
    enter: async () => {
      hub = await openHub({
        participants: participants.map(({ agent }) => agent),
        autoBroadcast,
        ...(announcement.length > 0 && { announcement: observed(announcement) }),
      });
    },
    add: (handles: readonly Handle[]) => hub!.add(...handles.map(({ agent }) => agent)),
    delete: (handles: readonly Handle[]) => handles.map(({ agent }) => hub!.remove(agent)),
    broadcast: (messages: readonly InputMsg[]) => hub!.broadcast(observed(messages)),
    setAutoBroadcast: (on: boolean) => hub!.setAutoBroadcast(on),
    exit: () => hub!.close(),
  };
}
