import { bullQueue } from "../../worker/queue/bull.ts";
import { inProcessQueue } from "../../worker/queue/in-process.ts";
import type { WakeQueue } from "../../worker/queue/port.ts";
import type { SessionStore } from "../../store/port.ts";
import { ending } from "../ending.ts";
import { openStore, withoutPassword } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

/** What workers of one kind share. */
export type Backend = { readonly store: SessionStore; readonly queue: WakeQueue };

/** Calls `use` with the store and the queue that the flags and the environment name, and closes both. Throws a
 *  {@link UsageError} for what is none. */
export async function withBackend<T>(
  flags: GivenFlags,
  env: Environment,
  use: (backend: Backend) => Promise<T>,
): Promise<T> {
  const place = storePlace(flags, env);
  const queue = queueAt(queuePlace(flags, env, place));
  return ending(
    async () => {
      const store = await openStore(place);
      return ending(
        () => use({ store, queue }),
        () => store.close(),
      );
    },
    () => queue.close(),
  );
}

/** `--store`; the database of DATABASE_URL for "postgres" and unless given. */
export function storePlace(flags: GivenFlags, env: Environment): string {
  const said = flags.text("store");
  if (said === "postgres" || (said === undefined && env["DATABASE_URL"])) return urlIn("DATABASE_URL", env);
  if (said !== undefined) return said;
  throw new UsageError(
    "Where are the sessions? Say --store sqlite:PATH, file:DIR or postgres://…, or set DATABASE_URL.",
  );
}

function queuePlace(flags: GivenFlags, env: Environment, store: string): string {
  const said = flags.text("queue");
  if (said === "redis") return urlIn("REDIS_URL", env);
  if (said === "postgres") return urlIn("DATABASE_URL", env);
  if (said !== undefined) return said;
  if (/^postgres(ql)?:/.test(store)) return store;
  throw new UsageError("Which queue wakes the workers? Say --queue redis://…, postgres://… or memory.");
}

function urlIn(name: string, env: Environment): string {
  const url = env[name]?.trim();
  if (!url) throw new UsageError(`There is no ${name} in the environment.`);
  return url;
}

function queueAt(place: string): WakeQueue {
  if (place === "memory") return inProcessQueue();
  if (/^rediss?:\/\//.test(place)) return bullQueue({ redis: place });
  if (/^postgres(ql)?:\/\//.test(place)) return bullQueue({ postgres: place });
  throw new UsageError(
    `There is no such queue: say --queue redis://…, postgres://… or memory, not "${withoutPassword(place)}".`,
  );
}
