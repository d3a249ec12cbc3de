import { parseArgs } from "node:util";
import { explore } from "./explore.ts";
import { reportText, unvisited } from "./report.ts";
import { BOUNDS } from "./worlds.ts";

const USAGE = `Walks every reachable state of the chart and checks the invariants of the design on each path.

  npm run explore [-- --bounds small|medium|large]   default: small
`;

const { values } = parseArgs({
  options: { bounds: { type: "string", default: "small" }, help: { type: "boolean" } },
});
const bounds = BOUNDS[values.bounds as keyof typeof BOUNDS] as (typeof BOUNDS)["small"] | undefined;

if (values.help || !bounds) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  let toldAt = 0;
  const findings = explore(bounds, {
    onProgress: (world, states, transitions, waiting) => {
      if (seconds() - toldAt < 2) return;
      toldAt = seconds();
      console.error(
        `${toldAt.toFixed(0)} s  ${world}: ${states} states, ${transitions} transitions, ${waiting} waiting`,
      );
    },
  });
  console.log(reportText(bounds, findings, seconds()));
  const isComplete = findings.edges.untaken.length === 0 && unvisited(findings).length === 0;
  process.exitCode = findings.violations.length === 0 && isComplete ? 0 : 1;
}
