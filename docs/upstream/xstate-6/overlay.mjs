// What stands in for XState 5 and for files of the repository, so that the sources and the tests run on XState 6.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;

const INSTEAD = new Map([
  ["xstate-5.ts", "xstate-6.ts"],
  ["accelerator.ts", "xstate-6.ts"],
  ["chart-json.ts", "chart-json.ts"],
  ["agent-logic.ts", "agent-logic.ts"],
  ["from-service.ts", "from-service.ts"],
]);

/** The file that an import means here; undefined if it means what it says. The importer is a path or an address. */
export function standIn(source, importer = "") {
  if (source === "xstate-6") return process.env["XSTATE_6"];
  const from = importer.startsWith("file:") ? fileURLToPath(importer) : importer;
  // the configuration for XState 5, which a chart is drawn with
  const isOfFive = source === "xstate-5" || /\/machines\/chart\/xstate-5[-\w]*\.ts$/.test(from);
  if (isOfFive && source.startsWith("xstate"))
    return join(here, "../../../node_modules/xstate/dist/xstate.esm.js");
  if (source === "xstate") return join(here, "as-xstate-5.ts");
  if (source === "xstate/graph") return process.env["XSTATE_6"].replace("xstate.", "xstate-graph.");
  if (from.startsWith(here)) return undefined;
  const [, file = ""] = /^\..*\/([^/]+)$/.exec(source) ?? [];
  const stand = INSTEAD.get(file);
  return stand && join(here, stand);
}
