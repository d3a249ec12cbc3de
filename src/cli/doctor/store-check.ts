import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../core/base/error.ts";
import { hideSecrets } from "../../core/base/secrets.ts";
import type { SessionStore } from "../../store/port.ts";
import { storedTables, type StoredTables } from "../../store/stored-tables.ts";
import { errorMessage } from "../error-message.ts";
import { DEFAULT_STORE, parseStore, withStore } from "../open-store.ts";
import { storeSpec } from "../workers/open-backend.ts";
import { missing, ok, wrong, type Check, type Finding } from "./check.ts";
import { sessionFindings } from "./session-findings.ts";

/** The id under which a write is tried. The package keeps there what is not a session, so that nobody lists it. */
const TRIAL = "agentchart/doctor";
const LEASE_MS = 10_000;
/** The difference of clocks above which leases and schedules are late or early by more than anybody expects, ms. */
const MAX_SKEW_MS = 5_000;

/** Finds whether the clock of this machine agrees with that of a store, which is ahead by `aheadMs`. */
export function clockFinding(aheadMs: number): Finding {
  const seconds = Math.abs(Math.round(aheadMs / 100) / 10);
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return ok("clock", `within ${seconds} s of that of the store`);
  const side = aheadMs > 0 ? "behind" : "ahead of";
  return wrong(
    "clock",
    `${seconds} s ${side} that of the store: synchronize both (timedatectl set-ntp true)`,
  );
}

/** Finds whether this release can open the tables of a store as they are. Undefined: it can. */
export function tablesFinding({ found, newest }: StoredTables): Finding | undefined {
  if (found === newest) return undefined;
  if (found > newest)
    return wrong(
      "store",
      `a newer release made its tables (version ${found}; this one knows ${newest}): install that release`,
    );
  if (found === 0) return ok("store", "it has no tables yet; they are made when it is first used");
  return ok(
    "store",
    `an older release made its tables (version ${found}). They become version ${newest} when it is first used, after which older ` +
      `releases refuse it: make a backup before. Its sessions were not looked at`,
  );
}

/** Finds whether a folder or a file that is not there could be made. */
function newFinding(path: string): Finding {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory())
    return missing("store", `${path} is not there, and ${folder} is a file: name another --store`);
  try {
    accessSync(folder, constants.W_OK);
    return ok("store", `${path} is not there yet; it is made when it is first used`);
  } catch {
    return missing("store", `${path} is not there, and ${folder} cannot be written to: name another --store`);
  }
}

/** Takes a lease of no session and ends it, which is a write, and compares the clocks. */
async function tryWrite(store: SessionStore): Promise<readonly Finding[]> {
  const before = Date.now();
  const lease = await store.acquire(TRIAL, { owner: `doctor ${randomUUID()}`, ttlMs: LEASE_MS });
  if (!lease) return [ok("store", "it opens; another doctor is trying to write to it")];
  const aheadMs = lease.expiresAt - LEASE_MS - (before + Date.now()) / 2;
  await store.release(lease);
  await store.delete(TRIAL);
  return [ok("store", "it opens, and takes a write"), clockFinding(aheadMs)];
}

export const storeCheck: Check = {
  name: "store",
  async run({ flags, env }, signal) {
    const spec = storeSpec(flags.store, env) ?? DEFAULT_STORE;
    const { kind, path } = parseStore(spec);
    if ((kind === "file" || kind === "sqlite") && !existsSync(path)) return [newFinding(path)];
    if (kind === "sqlite" && statSync(path).isDirectory())
      return [wrong("store", `${path} is a folder, and a SQLite store is a file: name another --store`)];
    const named = ({ text, ...finding }: Finding): Finding => ({
      ...finding,
      text: finding.check === "store" ? `${hideSecrets(spec)}: ${text}` : text,
    });
    try {
      const tables = kind && (await storedTables(kind, kind === "sqlite" ? path : spec));
      const older = tables && tablesFinding(tables);
      if (older) return [named(older)];
      return await withStore(spec, async (store) =>
        [...(await tryWrite(store)), ...(await sessionFindings(store, spec, signal))].map(named),
      );
    } catch (thrown) {
      if (!AgentError.is(thrown)) throw thrown;
      return [named(wrong("store", errorMessage(thrown)))];
    }
  },
};
