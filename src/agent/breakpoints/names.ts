import { configError } from "../../core/base/error.ts";
import { nearestName } from "../../core/base/nearest-name.ts";
import { HOOK_POINTS } from "../../core/hook/types.ts";
import type { Breakpoint } from "../../core/tool/breakpoint.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import { edges } from "./trail.ts";

/** The parts that a hook may change. */
const CHANGED = ["input", "system", "pieces", "options", "tools", "result", "answer", "deny", "stop", "goto"];

/** Returns the names of the chart that a breakpoint can be about, by the field that names them. */
function namesOf(): { readonly [field: string]: ReadonlySet<string> } {
  const all = [...edges().values()];
  const states = new Set(all.flatMap(({ left, entered }) => [...left, ...entered]));
  return {
    state: states,
    "edge.from": states,
    "edge.to": states,
    "edge.on": new Set(all.map(({ on }) => on).filter((on) => on !== "")),
    "guard.name": new Set(all.flatMap(({ guards }) => guards.flatMap(({ names }) => names))),
    "hook.point": new Set(HOOK_POINTS),
    "hook.changed": new Set(CHANGED),
  };
}

/** Returns the problem with breakpoints of which one names something that the chart does not have: it would never be met. */
export function nameProblem(breakpoints: readonly Breakpoint[]): string | undefined {
  const names = namesOf();
  for (const [place, { state, edge, guard, hook }] of breakpoints.entries()) {
    const given: { readonly [field: string]: string | undefined } = {
      state,
      "edge.from": edge?.from,
      "edge.to": edge?.to,
      "edge.on": edge?.on,
      "guard.name": guard?.name,
      "hook.point": hook?.point,
      "hook.changed": hook?.changed,
    };
    for (const [field, pattern] of Object.entries(given)) {
      const known = [...names[field]!];
      if (pattern === undefined || known.some((name) => matchesName(pattern, name))) continue;
      const near = nearestName(pattern, known);
      const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
      return `Breakpoint ${place + 1}: \`${field}\` ${JSON.stringify(pattern)} matches nothing of the chart.${meant}`;
    }
  }
  return undefined;
}

/** Throws `config/invalid` for breakpoints with a {@link nameProblem}. */
export function checkNames(breakpoints: readonly Breakpoint[]): void {
  const problem = nameProblem(breakpoints);
  if (problem !== undefined) throw configError(problem);
}
