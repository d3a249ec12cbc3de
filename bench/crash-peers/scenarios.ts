import { fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { Ledger } from "./world.mjs";

/** After this a life counts as endless, ms: a loaded box starts a process of some of these in 20 s. */
const LIFE_MS = 120_000;
/** How often a person decides about one run at most. */
const DECISIONS = 4;

/** A call that waits for a person; what else an adapter needs to decide about it goes along. */
type Item = {
  readonly id: string;
  readonly name: string;
  readonly args?: unknown;
  readonly unknown?: boolean;
};
type Outcome = {
  readonly state: "done" | "waiting" | "refused" | "lost" | "unfinished" | "killed" | "endless";
  readonly pending?: readonly Item[];
  readonly text?: string;
  readonly error?: string;
};
type Step = {
  readonly step: "start" | "pending" | "approve" | "answer" | "recover";
  readonly input?: string;
  readonly item?: Item | undefined;
  readonly text?: string | undefined;
  readonly die?: string;
  readonly hold?: string;
  readonly fail?: string;
  readonly release?: string;
};

/**
 * What became of a cell of the matrix, in a few words, and what was seen. `good`: as one would wish, and nobody had to help. `safe`: nothing
 * was done twice or wrongly, but a person has to help, or the run does not go on. `bad`: an effect was there twice, or it was not the
 * one that was approved.
 */
export type Cell = {
  readonly word: string;
  readonly grade: "good" | "safe" | "bad" | "error";
  readonly seen: string;
};

type Kit = {
  readonly ledger: Ledger;
  readonly life: (step: Step) => Promise<Outcome>;
  readonly effects: (tool: string) => readonly { readonly key: string; readonly args: string }[];
};

const REFUND = "Refund order 17.";
const waits = ({ state, pending = [] }: Outcome): Item | undefined =>
  state === "waiting" ? pending[0] : undefined;
const said = ({ state, error, text }: Outcome): string =>
  `${state}${error || text ? `: ${error ?? text}` : ""}`;

/** Starts a process for each step, which ends by SIGKILL: at the point that the step names, or once it has said what came of it. */
function kitOf(root: string, runs: string, system: string, scenario: string): Kit {
  const folder = mkdtempSync(join(runs, `${system}-`));
  const path = join(folder, "ledger.db");
  const ledger = new Ledger(path);
  const life = (step: Step): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const orders = JSON.stringify({ system, scenario, folder, ledger: path, ...step });
      const child = fork(join(root, "life.mjs"), [orders], {
        cwd: root,
        execArgv: ["--disable-warning=ExperimentalWarning"],
        stdio: ["ignore", "ignore", process.env["CRASH_PEERS_LOG"] ? "inherit" : "ignore", "ipc"],
      });
      let outcome: Outcome = { state: "killed" };
      const late = setTimeout(() => {
        outcome = { state: "endless" };
        child.kill("SIGKILL");
      }, LIFE_MS);
      child.once("message", (message) => {
        outcome = message as Outcome;
        child.kill("SIGKILL");
      });
      child.once("exit", (code) => {
        clearTimeout(late);
        if (code === null && outcome.state === "killed" && step.die === undefined)
          reject(new Error("The process was killed by something else, such as a lack of memory."));
        else resolve(code === null ? outcome : { state: "refused", error: `the process ended with ${code}` });
      });
    });
  return { ledger, life, effects: (tool) => ledger.read("effect", tool) };
}

/** Counts an effect in words. */
function times(effects: Kit["effects"], tool: string): string {
  const found = effects(tool);
  const same = new Set(found.map(({ key }) => key)).size === 1;
  if (found.length < 2) return found.length === 1 ? "once" : "never";
  return `${found.length === 2 ? "twice" : `${found.length} times`}${same ? ", same call id" : ", other call ids"}`;
}

const grade = (isGood: boolean, isBad: boolean): "good" | "safe" | "bad" =>
  isBad ? "bad" : isGood ? "good" : "safe";

/** Decides what waits until the run has ended: a person who is told that an outcome is unknown looks it up, any other call is approved. */
async function finish({ life, effects }: Kit, first: Outcome): Promise<readonly [Outcome, string[]]> {
  let outcome = first;
  const asked: string[] = [];
  for (let turn = 0; turn < DECISIONS; turn++) {
    const item = waits(outcome);
    if (item === undefined) break;
    asked.push(item.unknown ? "unknown" : "approval");
    const known = effects(item.name).length > 0 ? `${item.name} is done.` : undefined;
    outcome = await life(item.unknown ? { step: "answer", item, text: known } : { step: "approve", item });
  }
  return [outcome, asked];
}

/** Gets a run to where it waits for its approval. */
async function begin({ life }: Kit, input = REFUND): Promise<Item> {
  const item = waits(await life({ step: "start", input }));
  if (item === undefined) throw new Error("The run did not ask for an approval.");
  return item;
}

async function crash(kit: Kit, at: "before" | "after"): Promise<Cell> {
  const item = await begin(kit);
  const killed = await kit.life({ step: "approve", item, die: `refund:${at}` });
  if (killed.state !== "killed") throw new Error(`The process was to be killed; it is ${said(killed)}.`);
  const [end, asked] = await finish(kit, await kit.life({ step: "recover" }));
  const count = times(kit.effects, "refund");
  const how = asked.includes("unknown")
    ? "asked, told that the outcome is unknown; "
    : asked.length > 0
      ? "asked for the same approval again, as if nothing had been decided; "
      : "";
  const ended = end.state === "done";
  const word = asked.includes("unknown")
    ? `asked, ${count}`
    : asked.length > 0
      ? `approval again, ${count}`
      : count;
  return {
    word: ended ? word : `lost, ${count}`,
    grade: grade(ended && count === "once" && asked.length === 0, kit.effects("refund").length > 1),
    seen: `${how}refunded ${count}; ${said(end)}`,
  };
}

async function changed(kit: Kit, release: string): Promise<Cell> {
  const first = await begin(kit);
  const shown = waits(await kit.life({ step: "pending", release })) ?? first;
  let end = await kit.life({ step: "approve", item: shown, release });
  let asked = 0;
  for (let item = waits(end); item !== undefined && asked < DECISIONS; item = waits(end)) {
    asked++;
    end = await kit.life({ step: "approve", item, release });
  }
  if (end.state === "refused") {
    const { state, ...rest } = await kit.life({ step: "recover", release });
    if (state === "done") end = { state, ...rest };
  }
  const ran = kit.effects("refund");
  const again = asked > 0 ? "asked again, " : "";
  const lost = end.state !== "done";
  return {
    word: ran.length > 0 ? `${again}ran` : lost ? `${again}does not go on` : `${again}refused`,
    grade: grade(!lost, ran.length > 0),
    seen: `${again}${ran.length > 0 ? `ran with ${ran[0]!.args}` : "did not run"}; ${said(end)}`,
  };
}

/** The rows of the matrix, by name: what is done, and how it is judged. */
export const ROWS: {
  readonly [row: string]: { readonly what: string; readonly run: (kit: Kit) => Promise<Cell> };
} = {
  restart: {
    what: "The process ends while the approval waits. A new one lists what waits, and approves it.",
    run: async (kit) => {
      const first = await begin(kit);
      const listed = await kit.life({ step: "pending" });
      const shown = waits(listed);
      if (shown === undefined) return { word: "lost", grade: "safe", seen: said(listed) };
      const [end] = await finish(kit, await kit.life({ step: "approve", item: shown }));
      const count = times(kit.effects, "refund");
      const same = shown.id === first.id && JSON.stringify(shown.args) === JSON.stringify(first.args);
      const what =
        shown.args === undefined
          ? "the arguments are not listed any more"
          : `listed as ${shown.id} with other arguments`;
      return {
        word: same ? count : `${count}, arguments not listed`,
        grade: grade(same && count === "once" && end.state === "done", kit.effects("refund").length > 1),
        seen: `${same ? "the same call" : what}; refunded ${count}; ${said(end)}`,
      };
    },
  },
  "crash before": {
    what: "Approved; the process is killed in the tool, before its effect. A new one recovers.",
    run: (kit) => crash(kit, "before"),
  },
  "crash after": {
    what: "Approved; the process is killed in the tool, after its effect and before its result. A new one recovers.",
    run: (kit) => crash(kit, "after"),
  },
  "double submit": {
    what: "A second process approves the call while the first one, which approved it too, is in the tool.",
    run: async (kit) => {
      const item = await begin(kit);
      const one = kit.life({ step: "approve", item, hold: "refund" });
      if (!(await kit.ledger.until("began", "refund", LIFE_MS)))
        throw new Error(`The tool did not begin: ${said(await one)}.`);
      const other = await kit.life({ step: "approve", item });
      kit.ledger.write("released", "refund", "", null);
      const end = await one;
      const count = times(kit.effects, "refund");
      return {
        word: other.state === "refused" && count === "once" ? "refused, once" : count,
        grade: grade(count === "once", kit.effects("refund").length > 1),
        seen: `the second: ${said(other)}; the first: ${said(end)}; refunded ${count}`,
      };
    },
  },
  "late submit": {
    what: "Approved and done; another process approves the same call once more, as a tab does that was open before.",
    run: async (kit) => {
      const item = await begin(kit);
      await kit.life({ step: "approve", item });
      const other = await kit.life({ step: "approve", item });
      const count = times(kit.effects, "refund");
      return {
        word: other.state === "refused" && count === "once" ? "refused, once" : count,
        grade: grade(count === "once", kit.effects("refund").length > 1),
        seen: `the second: ${said(other)}; refunded ${count}`,
      };
    },
  },
  "sub-agent": {
    what: "A sub-agent looks something up, then its refund waits. The process ends; a new one approves.",
    run: async (kit) => {
      const first = await begin(kit, "Ask the clerk to refund order 17.");
      const listed = await kit.life({ step: "pending" });
      const shown = waits(listed);
      if (shown === undefined) return { word: "lost", grade: "safe", seen: said(listed) };
      const [end, asked] = await finish(kit, await kit.life({ step: "approve", item: shown }));
      const [refunds, lookups] = [times(kit.effects, "refund"), times(kit.effects, "lookup")];
      const bad = [
        ...(first.name === "refund" ? [] : [`shown as ${first.name}`]),
        ...(lookups === "once" ? [] : ["began again"]),
        ...(asked.length > 0 ? ["asked again"] : []),
        ...(end.state === "done" ? [] : ["does not end"]),
      ];
      return {
        word: [refunds, ...bad].join(", "),
        grade: grade(
          refunds === "once" && bad.length === 0,
          kit.effects("refund").length > 1 || kit.effects("lookup").length > 1,
        ),
        seen: `shown as ${first.name} ${JSON.stringify(first.args)}; looked up ${lookups}, refunded ${refunds}; ${said(end)}`,
      };
    },
  },
  "changed tool": {
    what: "While the approval waits, a release gives the tool other arguments. Its process approves.",
    run: (kit) => changed(kit, "schema"),
  },
  "removed tool": {
    what: "While the approval waits, a release removes the tool. Its process approves.",
    run: (kit) => changed(kit, "removed"),
  },
  "tool retry": {
    what: "The approved call fails before its effect, and the model makes it once more. Is that asked about?",
    run: async (kit) => {
      const item = await begin(kit);
      const outcome = await kit.life({ step: "approve", item, fail: "refund" });
      const next = waits(outcome);
      if (next === undefined) {
        const count = times(kit.effects, "refund");
        return {
          word: `not asked, ${count}`,
          grade: grade(false, count !== "never"),
          seen: `${said(outcome)}; refunded ${count}`,
        };
      }
      const [end] = await finish(kit, await kit.life({ step: "approve", item: next }));
      const count = times(kit.effects, "refund");
      return {
        word: `asked again, ${count}`,
        grade: grade(count === "once" && end.state === "done", kit.effects("refund").length > 1),
        seen: `the second call asked; refunded ${count}; ${said(end)}`,
      };
    },
  },
  parallel: {
    what: "Of two calls without approval one has ended when the process is killed in the other, after its effect. A new one recovers.",
    run: async (kit) => {
      const killed = await kit.life({
        step: "start",
        input: "Notify the customer of order 17 and charge it.",
        die: "charge:after",
      });
      if (killed.state !== "killed") throw new Error(`The process was to be killed; it is ${said(killed)}.`);
      const [end, asked] = await finish(kit, await kit.life({ step: "recover" }));
      const [ended, cut] = [times(kit.effects, "notify"), times(kit.effects, "charge")];
      const done = end.state === "done";
      const told = asked.includes("unknown") ? "asked, " : "";
      return {
        word: done
          ? `ended call ${ended.split(",")[0]}, cut-off call ${told}${cut.split(",")[0]}`
          : `lost, ended call ${ended.split(",")[0]}, cut-off call ${cut.split(",")[0]}`,
        grade: grade(
          done && ended === "once" && cut === "once" && asked.length === 0,
          kit.effects("notify").length > 1 || kit.effects("charge").length > 1,
        ),
        seen: `${told}the call that had ended ran ${ended}, the one that was cut off ${cut}; ${said(end)}`,
      };
    },
  },
};

/** Runs a cell with the packages that are installed in `root`; its files are made in `runs`. */
export async function runCell(root: string, runs: string, system: string, row: string): Promise<Cell> {
  const kit = kitOf(root, runs, system, row);
  try {
    return await ROWS[row]!.run(kit);
  } catch (error) {
    return { word: "error", grade: "error", seen: error instanceof Error ? error.message : String(error) };
  } finally {
    kit.ledger.close();
  }
}
