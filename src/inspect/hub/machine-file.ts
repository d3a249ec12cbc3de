import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createMachine, type AnyStateMachine } from "xstate";
import { configError, messageOf } from "../../core/base/error.ts";
import { parsedJson, isObject, type JsonObject } from "../../core/base/json.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";
import { machineChart } from "../client/actor-chart.ts";
import { isMachine } from "../client/actor-kind.ts";
import { innermost } from "../protocol/chart-version.ts";
import { isWithin } from "../protocol/parse-run-file.ts";
import type { FileRun } from "./file-run.ts";
import { leftOutText, readableConfig } from "./readable-config.ts";
import { RunLog } from "./run-log.ts";

const MODULE = /\.[cm]?[jt]s$/;
/** The maximum depth of a configuration as JSON: a state in a state is two levels. */
const MAX_DEPTH = 200;
const NOTICE = "This machine does not run: these are its states and transitions as the file has them.";

/**
 * Opens the machines of a file: those that a module exports, or the one of a configuration as JSON, as Stately exports it. The code of a
 * module is run, and no machine of it. Undefined for another file. Rejects `config/invalid` for a module without a machine or that cannot be loaded, and
 * for an invalid configuration.
 */
export async function openMachines(path: string): Promise<readonly FileRun[] | undefined> {
  const name = basename(path);
  if (MODULE.test(path)) {
    const exported = await load(path);
    const machines = Object.values(exported).filter(isMachine);
    if (machines.length === 0) throw configError(`${path} exports no state machine of XState.`);
    return [...new Set(machines)].map((machine) => machineRun(machine, name));
  }
  const config = configIn(await readFile(path, "utf8").catch(() => ""));
  return config && [configRun(config, { name: path, file: name })];
}

/** Returns the configuration of a machine as JSON; undefined for a text that is something else, such as an exported run. */
function configIn(text: string): JsonObject | undefined {
  const value = parsedJson(text); // a run has many lines of JSON
  return isObject(value) && (isObject(value["states"]) || isObject(value["on"])) ? value : undefined;
}

/** Returns the machine of a configuration as JSON as a run, which says what was left out of it. `name` is how an error calls it, `file` that of
 *  its file. Throws `config/invalid` for an invalid one. */
export function configRun(
  given: JsonObject,
  { name, file }: { readonly name: string; readonly file: string },
): Required<FileRun> {
  if (!isWithin(given, MAX_DEPTH)) throw configError(`${name} is nested deeper than ${MAX_DEPTH} levels.`);
  const { config, leftOut } = readableConfig(given);
  let machine: AnyStateMachine;
  try {
    machine = createMachine(config);
  } catch (error) {
    throw configError(`${name} is not a machine of XState: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return machineRun(machine, file, leftOutText(leftOut));
}

async function load(path: string): Promise<object> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as object;
  } catch (error) {
    throw configError(`${path} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns a machine as a run that has taken its first states. */
function machineRun(machine: AnyStateMachine, file: string, about = ""): Required<FileRun> {
  const { chart, hash } = chartOf(machine, file);
  const runId = `machine.${chart.id}.${hash}`;
  const now = Date.now();
  const active = initialStates(chart);
  const log = new RunLog(runId);
  log.add({ q: 1, t: now, m: 0, e: "xstate.init", x: [], s: log.stateOf(active) });
  return {
    chart: { chart, hash },
    run: {
      row: {
        runId,
        agent: chart.id,
        actor: { kind: "machine", status: "stopped", system: runId, id: chart.id, sessionId: "" },
        chart: hash,
        source: "file",
        phase: "stopped",
        waitsFor: [],
        title: file.slice(0, 80),
        state: innermost(active),
        startedAt: now,
        updatedAt: now,
        steps: 1,
        usage: {},
        pending: 0,
        can: [],
        notice: [NOTICE, about].filter(Boolean).join(" "),
      },
      pending: [],
      log,
      blob: () => undefined,
      blobs: () => [],
    },
  };
}

/** A machine reads some of its configuration only when its transitions are asked for. */
function chartOf(machine: AnyStateMachine, file: string): ReturnType<typeof machineChart> {
  try {
    return machineChart(machine);
  } catch (error) {
    throw configError(`${file} has no valid machine: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns the ids of the states with which a machine begins, outermost first. Initial states can be decided by no guard. */
function initialStates({ nodes }: Chart): readonly string[] {
  const active: string[] = [];
  const add = (id: string | undefined): void => {
    const node = nodes.find((each) => each.id === id);
    if (!node) return;
    active.push(node.id);
    if (node.type === "parallel")
      for (const { id: inner, parent } of nodes) if (parent === node.id) add(inner);
    add(node.initial);
  };
  add(nodes[0]?.id);
  return active;
}
