import { createActor, toPromise, waitFor } from "xstate";
import { newsroom } from "./machine.ts";

/** Runs a newsroom to its end, and returns its last state. `approve` is shown each call that waits. */
export async function run(
  models: Parameters<typeof newsroom>[0],
  approve: (name: string, input: unknown) => void,
): Promise<unknown> {
  const actor = createActor(newsroom(models)).start();
  const { children } = await waitFor(
    actor,
    ({ status, children }) => status !== "active" || children["writer"]?.getSnapshot().pending.length === 1,
  );
  for (const { callId, name, input } of children["writer"]?.getSnapshot().pending ?? []) {
    approve(name, input);
    actor.send({ type: "APPROVE", callId });
  }
  await toPromise(actor);
  return actor.getSnapshot().value;
}
