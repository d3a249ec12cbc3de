import { configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { Partition } from "../store/partition-map.ts";
import type { SessionStore } from "../store/port.ts";
import { parseJson, readText } from "./read-json.ts";

/** A partition in a file: stores as texts, of which `env:NAME` stands for that of an environment variable, and the last hash in hex. */
type NamedPartition = {
  readonly store: string;
  readonly upTo: string;
  readonly movesFrom?: string | undefined;
};

const schema = s.lazily(() =>
  s.listOf(
    s.options<NamedPartition>(
      {
        store: s.secret("a store, such as sqlite:PATH or env:NAME", /./u),
        upTo: s.matching(/^[0-9a-f]{8}$/u, "eight hex digits"),
        movesFrom: s.optional(s.secret("a store, such as sqlite:PATH or env:NAME", /./u)),
      },
      { what: 'a partition, such as { "store": "sqlite:PATH", "upTo": "ffffffff" }' },
    ),
    "an array of partitions",
  ),
);

async function contentOf(path: string): Promise<readonly NamedPartition[]> {
  const what = `The file of partitions ${path}`;
  const content = parseJson(await readText(path, what), what);
  check(schema(), content, what, "it");
  return content as readonly NamedPartition[];
}

/** Reads the partitions that a JSON file names, and opens each of their stores once; one that sessions come from must exist. Rejects with what
 *  `open` says, and `config/invalid` for another file. */
export async function readPartitions(
  path: string,
  open: (spec: string, mustExist: boolean) => Promise<SessionStore>,
): Promise<readonly Partition[]> {
  const partitions = await contentOf(path);
  const stores = new Map<string, SessionStore>();
  const opened = async (name: string, mustExist = false): Promise<SessionStore> => {
    const spec = name.startsWith("env:") ? process.env[name.slice(4)]?.trim() : name;
    if (!spec) throw configError(`The file of partitions ${path} names ${name}, which is not set.`);
    const store = stores.get(name) ?? (await open(spec, mustExist));
    stores.set(name, store);
    return store;
  };
  try {
    const found: Partition[] = [];
    for (const { store, upTo, movesFrom } of partitions)
      found.push({
        store: await opened(
          store,
          partitions.some(({ movesFrom: former }) => former === store),
        ),
        upTo: Number.parseInt(upTo, 16),
        ...(movesFrom !== undefined && { movesFrom: await opened(movesFrom, true) }),
      });
    return found;
  } catch (error) {
    await closeAll(stores.values());
    throw error;
  }
}

/** Closes stores, all of them even if one cannot be closed. */
export async function closeAll(stores: Iterable<SessionStore>): Promise<void> {
  await Promise.allSettled([...new Set(stores)].map((store) => store.close()));
}
