import type { Json } from "../../core/base/json.ts";
import { redactSecrets } from "../../core/base/secrets.ts";
import { findSuspicions } from "../../inspect/hub/find-suspicions.ts";
import type { Suspicion } from "../../inspect/suspicions/suspicion.ts";
import type { SessionStore } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { loadSuspicions } from "../load-suspicions.ts";
import { withExistingStore } from "../open-store.ts";
import { printItems } from "../output.ts";
import { explainSessionErrors } from "../session-commands.ts";
import { paginate } from "../paginate.ts";
import type { suspicions as definition } from "./definitions.ts";

type Found = { readonly sessionId: string } & Suspicion;

const HEAD = ["SESSION", "STEP", "KIND", "WHAT"];

/** `agentchart sessions suspicions`. */
export const suspicionsCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { kind, limit = Number.POSITIVE_INFINITY } = flags;
  const checks = await loadSuspicions(flags.suspicions);
  let count = 0;
  return withExistingStore(flags.store, async (store) => {
    const ids = id === undefined ? idsOf(store, flags) : [id];
    const inSession = (sessionId: string): Promise<readonly Suspicion[]> =>
      explainSessionErrors({ sessionId, flags }, () =>
        findSuspicions(store, sessionId, { suspicions: checks }),
      );
    async function* found(): AsyncGenerator<Found> {
      for await (const sessionId of ids) {
        for (const suspicion of await inSession(sessionId)) {
          if (kind !== undefined && suspicion.kind !== kind) continue;
          if (count >= limit) return;
          count++;
          yield redactSecrets({ sessionId, ...suspicion } as unknown as Json) as unknown as Found;
        }
      }
    }
    await printItems(io, flags, found(), HEAD, rowOf, "Nothing is odd.");
    return 0;
  });
};

async function* idsOf(
  store: SessionStore,
  { agent, within }: { readonly agent?: string | undefined; readonly within?: number | undefined },
): AsyncGenerator<string> {
  const query = {
    ...(agent !== undefined && { agent }),
    ...(within !== undefined && { since: Date.now() - within }),
  };
  const sessions = paginate(Number.POSITIVE_INFINITY, async (page) => {
    const found = await store.search!({ ...query, ...page });
    return { items: found.sessions, cursor: found.cursor };
  });
  for await (const { sessionId } of sessions) yield sessionId;
}

function rowOf({ sessionId, steps, kind, text }: Found): string[] {
  const [first, ...more] = steps;
  return [sessionId, more.length === 0 ? String(first) : `${first} (+${more.length})`, kind, text];
}
