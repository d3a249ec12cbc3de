import { duration, safeText } from "../logic/format.ts";
import type { ToolEntry } from "./agent-map.ts";
import { marksOf, type Row } from "./rows.ts";
import { t } from "../words/t.ts";

/** A tool, or tools whose names begin alike, as those of an MCP server do. */
type Group = { readonly name: string; readonly tools: readonly ToolEntry[] };

/** The separator behind the name of an MCP server in the name of a tool. */
const SEPARATOR = "__";
/** Fewer tools than this are not a group. */
const MIN_GROUP = 3;

const serverOf = (name: string): string => {
  const at = name.indexOf(SEPARATOR);
  return at > 0 ? name.slice(0, at) : "";
};

function groupsOf(tools: readonly ToolEntry[]): readonly Group[] {
  const servers = Map.groupBy(tools, ({ name }) => serverOf(name));
  const seen = new Set<string>();
  return tools.flatMap((tool): readonly Group[] => {
    const server = serverOf(tool.name);
    const all = servers.get(server)!;
    if (server === "" || all.length < MIN_GROUP) return [{ name: tool.name, tools: [tool] }];
    if (seen.has(server)) return [];
    seen.add(server);
    return [{ name: server, tools: all }];
  });
}

/**
 * Returns the rows of a list of tools, at most `most` of them unless a person has opened what is folded. If not all fit, tools of a server
 * become one row; what still does not fit is behind a last row.
 */
export function foldedTools(
  tools: readonly ToolEntry[],
  most: number,
  opened: ReadonlySet<string>,
  list: string,
): readonly Row[] {
  if (tools.length <= most || opened.has(list)) {
    const rows = tools.map(rowOf);
    return opened.has(list) ? [...rows, foldRow(list, t("show less"), t("Folds the list"))] : rows;
  }
  const units = groupsOf(tools).flatMap((group) => unitsOf(group, opened));
  if (units.length <= most) return units.map(({ row }) => row);
  const shown = units.slice(0, Math.max(0, most - 1));
  const rest = units.slice(shown.length);
  const sum = (part: "count" | "used"): number => rest.reduce((total, unit) => total + unit[part], 0);
  const text =
    sum("used") > 0 ? t`${sum("count")} more, ${sum("used")} called` : t`${sum("count")} more, not called`;
  return [...shown.map(({ row }) => row), foldRow(list, text, t("Shows all of them"))];
}

/** A row of a list, and how many tools it stands for. */
type Unit = { readonly row: Row; readonly count: number; readonly used: number };

const foldRow = (list: string, text: string, title: string): Row => ({
  kind: "fold",
  key: `fold ${list}`,
  id: `fold:${list}`,
  text,
  title,
  rank: 0,
});

function unitsOf({ name, tools }: Group, opened: ReadonlySet<string>): readonly Unit[] {
  const units = tools.map((tool) => ({ row: rowOf(tool), count: 1, used: tool.calls > 0 ? 1 : 0 }));
  if (units.length === 1) return units;
  const isOpen = opened.has(`group:${name}`);
  const called = tools.filter(({ calls }) => calls > 0);
  const all = tools.reduce((sum, tool) => ({
    ...sum,
    calls: sum.calls + tool.calls,
    failures: sum.failures + tool.failures,
    running: sum.running + tool.running,
    retries: sum.retries + tool.retries,
    asks: sum.asks + tool.asks,
  }));
  const head: Row = {
    kind: "fold",
    key: `group:${name}`,
    id: `fold:group:${name}`,
    text: safeText(name),
    title: t`${tools.length} tools of ${safeText(name)}, ${called.length} called`,
    marks: [...marksOf(all), { text: t`${tools.length} tools`, title: t("tools of this server") }],
    isGrey: called.length === 0,
    rank: 0,
  };
  if (!isOpen) return [{ row: head, count: tools.length, used: called.length }];
  return [{ row: head, count: 0, used: 0 }, ...units];
}

function rowOf(tool: ToolEntry): Row {
  const { name, agent, isOffered, calls, running, ms, runId } = tool;
  const about = isOffered ? "" : t(", not offered now");
  return {
    kind: "item",
    key: `tool ${name}`,
    id: `tool:${name}`,
    text: safeText(agent ?? name),
    title: `${safeText(name)}: ${calls === 0 ? t("never called") : t`${calls} calls, ${duration(ms)}`}${about}`,
    marks: marksOf(tool),
    isGrey: calls + tool.asks === 0,
    isMono: true,
    isRunning: running > 0,
    rank: 0,
    ...(runId !== undefined && { runId }),
  };
}
