import type { Json } from "../../core/base/json.ts";
import { redactSecrets } from "../../core/base/secrets.ts";
import { findSuspicions } from "../../inspect/hub/find-suspicions.ts";
import type { Suspicion } from "../../inspect/suspicions/suspicion.ts";
import type { Handler } from "../define-command.ts";
import { loadSuspicions } from "../load-suspicions.ts";
import { withExistingStore } from "../open-store.ts";
import { printItems } from "../output.ts";
import { explainSessionErrors, unlessUnreadable } from "../session-commands.ts";
import { foundBy } from "../paginate.ts";
import type { suspicions as definition } from "./definitions.ts";

type Found = { readonly sessionId: string } & Suspicion;

const HEAD = ["SESSION", "STEP", "KIND", "WHAT"];

/** `agentchart sessions suspicions`. */
export const suspicionsCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { kind, agent, within, limit = Number.POSITIVE_INFINITY } = flags;
  const suspicions = await loadSuspicions(flags.suspicions);
  const since = within === undefined ? undefined : Date.now() - within;
  let [count, unread] = [0, 0];
  return withExistingStore(flags.store, async (store) => {
    async function* found(): AsyncGenerator<Found> {
      const sessions = id === undefined ? foundBy(store, { agent, since }) : [{ sessionId: id }];
      for await (const { sessionId } of sessions) {
        const inSession = () => findSuspicions(store, sessionId, { suspicions });
        const all = await (id === undefined
          ? unlessUnreadable(sessionId, io, inSession)
          : explainSessionErrors({ sessionId, flags }, inSession));
        if (!all) unread++;
        for (const suspicion of all ?? []) {
          if (kind !== undefined && suspicion.kind !== kind) continue;
          if (count >= limit) return;
          count++;
          yield redactSecrets({ sessionId, ...suspicion } as unknown as Json) as unknown as Found;
        }
      }
    }
    await printItems(io, flags, found(), HEAD, rowOf, "Nothing is odd.");
    return unread > 0 ? 1 : 0;
  });
};

function rowOf({ sessionId, steps, kind, text }: Found): string[] {
  const [first, ...more] = steps;
  return [sessionId, more.length === 0 ? String(first) : `${first} (+${more.length})`, kind, text];
}
