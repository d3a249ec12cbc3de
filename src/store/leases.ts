import type { JsonObject } from "../core/base/json.ts";
import { builtin, nodeProcess } from "../core/base/platform.ts";
import { sha256 } from "../core/base/hash.ts";
import { newId } from "../core/message/msg.ts";
import { AgentError } from "../core/base/error.ts";
import { delayOf, unref } from "../core/base/time.ts";
import type { Lease, SessionStore } from "./port.ts";
import { leaseLost } from "./shared.ts";

/** Identifies this process among all that ever had a lease. */
const PROCESS_ID = newId();
let owners = 0;

const fs = builtin("node:fs");
const { hostname = () => "browser" } = builtin("node:os") ?? {};
/** The id of this process; 1 for what is not a process of Node.js. */
const { pid: PID = 1 } = nodeProcess ?? {};

/** The identity of a process on its machine. It is the machine since it was booted, as far as process ids mean the same there, and when the
 *  process began, in ticks of that machine. */
type LivingProcess = { readonly machine: string; readonly start: string };

/** Reads the state of a process, such as `R`, and when it began. Throws unless the system has `/proc`, and shows this process. */
function statOf(pid: number): { readonly state: string; readonly start: string } {
  const text = fs!.readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name of the program, in parentheses, may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields[0], fields[19]];
  if (!state || !start || !/^\d+$/.test(start)) throw new Error("The file has another form.");
  return { state, start };
}

/** The namespaces decide what process ids and times of start mean. One of a process that lives has its number alone. */
function namespaceOf(name: string): string {
  try {
    return fs!.readlinkSync(`/proc/self/ns/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""; // an older kernel
    throw error;
  }
}

function readThisProcess(): LivingProcess | undefined {
  try {
    if (fs!.readlinkSync("/proc/self") !== String(PID)) return undefined; // that of another namespace
    const boot = fs!.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const pids = namespaceOf("pid");
    if (boot === "" || pids === "") return undefined;
    const all = [hostname(), boot, pids, namespaceOf("time")].join(" ");
    const machine = sha256(all).slice(0, 16);
    return { machine, start: statOf(PID).start };
  } catch {
    return undefined;
  }
}

let known: { readonly process: LivingProcess | undefined } | undefined;
const thisProcess = (): LivingProcess | undefined => (known ??= { process: readThisProcess() }).process;

/** Returns a new owner of leases, which says where it lives. It has its host, its process, its name if it has one, and where the system
 *  tells it, by what others on this machine know whether the process still lives. */
export function newOwner(name = ""): string {
  const parts = [hostname(), String(PID), name.toWellFormed(), `${PROCESS_ID}.${++owners}`];
  const { machine, start } = thisProcess() ?? {};
  if (machine !== undefined) parts.push(`${machine}.${start}`);
  return parts.map(encodeURIComponent).join(":");
}

type ReadOwner = {
  readonly isOurs: boolean;
  readonly host: string;
  readonly pid: number;
  readonly name: string;
  /** The process among all that ever had a lease, and the number of the owner in it. */
  readonly id: string;
  readonly process: LivingProcess | undefined;
};

function partsOf(owner: string): ReadOwner | undefined {
  const parts = owner.split(":");
  const [host = "", pid = "", name = "", id = "", lives = ""] = parts;
  if (parts.length < 4 || parts.length > 5 || !/^[1-9]\d*$/.test(pid)) return undefined;
  const [, machine, start] = /^([\da-f]{16})\.(\d+)$/.exec(lives) ?? [];
  try {
    return {
      isOurs: id.startsWith(`${PROCESS_ID}.`),
      host: decodeURIComponent(host),
      pid: Number(pid),
      name: decodeURIComponent(name),
      id,
      process: machine === undefined ? undefined : { machine, start: start! },
    };
  } catch {
    return undefined; // what looks like an owner of this package
  }
}

/** The most characters of a host or of another owner in the name of a process. */
const MAX_NAME = 80;
const PROCESS = /^[\da-f]{8}/;

let ours: string | undefined;

/** Names this process as {@link processOf} does. */
export const thisProcessName = (): string => (ours ??= processOf(newOwner()));

/** Names the process of an owner for people: "pid 17 on host (1f0c2b9a)", and any other owner by its beginning. The letters in parentheses tell
 *  processes apart that have the same id on hosts of the same name. */
export function processOf(owner: string): string {
  const found = partsOf(owner);
  const [process] = PROCESS.exec(found?.id ?? "") ?? [];
  const isLong = (found?.host ?? owner).length > MAX_NAME;
  const name = `${(found?.host ?? owner).slice(0, MAX_NAME).toWellFormed()}${isLong ? "…" : ""}`;
  return found ? `pid ${found.pid} on ${name}${process === undefined ? "" : ` (${process})`}` : name;
}

/** Returns what {@link newOwner} wrote into an owner; undefined for any other owner. */
export function readOwner(
  owner: string,
): { readonly isOurs: boolean; readonly holder: JsonObject } | undefined {
  const found = partsOf(owner);
  if (!found) return undefined;
  const { isOurs, host, pid, name } = found;
  return { isOurs, holder: { host, pid, ...(name !== "" && { name }) } };
}

/** True if there is no process with this id. */
function isMissing(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** True if the process of an owner is known to be dead. It lived on this machine since it was booted, in the namespaces of this process,
 *  and its id is free, or that of a process that began at another time, or of one that has ended and was not waited for. False whenever it
 *  may live. */
export function isDeadOwner(owner: string): boolean {
  const found = partsOf(owner);
  const here = thisProcess();
  if (!found?.process || !here || found.isOurs || found.process.machine !== here.machine) return false;
  if (isMissing(found.pid)) return true;
  try {
    const { state, start } = statOf(found.pid);
    if (start !== found.process.start) return true;
    // A thread may outlive the first one of its process.
    return /^[ZX]$/.test(state) && fs!.readdirSync(`/proc/${found.pid}/task`).length <= 1;
  } catch {
    return false;
  }
}

/** Returns the beginning of the part of an owner that names its process, in all owners of which {@link isDeadOwner} may be true here. It is
 *  undefined if there is no such owner. */
export function ownersHere(): string | undefined {
  const here = thisProcess();
  return here && `:${here.machine}.`;
}

/** A lease that its holder keeps as long as its process lives. */
export type KeptLease = {
  readonly lease: Lease | undefined;
  /** Resolves when the renewal that has begun has succeeded or failed. */
  renewedBy(renewal: Promise<Lease>): Promise<void>;
};

/** Leases that are renewed in one operation. */
const TOGETHER = 1_000;

/** Renews the leases of all sessions that this process has in one store, at every third of their duration. */
export class LeaseKeeper {
  readonly #store: SessionStore;
  readonly #leaseMs: number;
  readonly #kept = new Set<KeptLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SessionStore, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  add(kept: KeptLease): void {
    this.#kept.add(kept);
    this.#timer ??= unref(setInterval(() => this.#renew(), delayOf(this.#leaseMs / 3)));
  }

  remove(kept: KeptLease): void {
    this.#kept.delete(kept);
    if (this.#kept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    const held = [...this.#kept].flatMap((kept) => (kept.lease ? [{ kept, lease: kept.lease }] : []));
    if (!this.#store.renewAll)
      for (const { kept, lease } of held) void kept.renewedBy(this.#store.renew(lease, this.#leaseMs));
    else
      for (let from = 0; from < held.length; from += TOGETHER)
        this.#renewTogether(held.slice(from, from + TOGETHER));
  }

  #renewTogether(held: readonly { readonly kept: KeptLease; readonly lease: Lease }[]): void {
    const leases = held.map(({ lease }) => lease);
    const renewal = this.#store.renewAll!(leases, this.#leaseMs);
    for (const [index, { kept, lease }] of held.entries()) {
      const renewed = renewal.then(
        (all) => {
          const own = all[index];
          if (!own) throw leaseLost(lease.sessionId, lease.fence);
          return own;
        },
        (error: unknown) => {
          // One of several databases is away: the sessions of the others go on.
          if (!AgentError.is(error) || !error.data?.["partitions"]) throw error;
          return this.#store.renew(lease, this.#leaseMs);
        },
      );
      void kept.renewedBy(renewed);
    }
  }
}

const keepers = new WeakMap<SessionStore, Map<number, LeaseKeeper>>();

/** Renews a lease in time, with all others of the process and the store that last as long. It does so until the lease is removed from the
 *  keeper that is returned. */
export function keepLease(store: SessionStore, leaseMs: number, kept: KeptLease): LeaseKeeper {
  const ofStore = keepers.get(store) ?? new Map<number, LeaseKeeper>();
  keepers.set(store, ofStore);
  const keeper = ofStore.get(leaseMs) ?? new LeaseKeeper(store, leaseMs);
  ofStore.set(leaseMs, keeper);
  keeper.add(kept);
  return keeper;
}
