import { isDecision, type Chart, type ChartEdge, type ChartNode } from "./chart-json.ts";
import type { Box, Layout, PlacedEdge, PlacedNode } from "./layout.ts";
import { arrowHead, decisionOutline, roundedPath } from "./svg-path.ts";

/**
 * Draws a laid-out chart as a self-contained SVG: no scripts, fonts or links. Names are escaped, whatever they
 * contain. The same chart and layout give the same bytes.
 */
export function chartSvg(chart: Chart, layout: Layout, theme: Theme = "light"): string {
  const colours = COLOURS[theme];
  const drawing = new Drawing(chart, layout, colours);
  const { width, height } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(`The statechart ${chart.id}`)}</title>`,
    `<desc>${chart.nodes.length} states and ${chart.edges.length} transitions.</desc>`,
    `<style>${styleOf(colours)}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...layout.nodes.map((node) => drawing.state(node)),
    ...layout.edges.map((edge) => drawing.line(edge)),
    ...layout.initials.map(({ from, to }) => drawing.initial(from, to)),
    ...layout.edges.flatMap(({ label }) => (label ? [drawing.label(label)] : [])),
    ...layout.pills.map((pill) => drawing.pill(pill)),
    "</svg>",
    "",
  ].join("\n");
}

class Drawing {
  readonly #nodes: ReadonlyMap<string, ChartNode>;
  readonly #edges: ReadonlyMap<string, ChartEdge>;
  readonly #topStates: readonly string[];
  readonly #colours: Colours;
  readonly #arrows = new Set<string>();

  constructor(chart: Chart, { nodes: [root] }: Layout, colours: Colours) {
    this.#nodes = new Map(chart.nodes.map((node) => [node.id, node]));
    this.#edges = new Map(chart.edges.map((edge) => [edge.id, edge]));
    this.#topStates = chart.nodes.filter(({ parent }) => parent === root?.id).map(({ id }) => id);
    this.#colours = colours;
  }

  state({ id, title, rows, hasChildren, ...box }: PlacedNode): string {
    const { type, parent } = this.#nodes.get(id)!;
    const className = parent === undefined ? "root" : hasChildren ? "group" : "leaf";
    const isTop = this.#topStates.includes(id);
    const stroke = isTop ? ` style="stroke:${this.#tone(id)};stroke-opacity:.55"` : "";
    const region = this.#nodes.get(parent ?? "")?.type === "parallel" ? ' stroke-dasharray="5 4"' : "";
    const inner = { x: box.x + 3, y: box.y + 3, width: box.width - 6, height: box.height - 6 };
    const { x, y } = box;
    return [
      isDecision(this.#nodes.get(id)!)
        ? `<g><polygon class="${className}" points="${decisionOutline(box)}" style="stroke:${this.#tone(id)};stroke-width:1.6"/>`
        : `<g><rect class="${className}" ${sized(box)} rx="8"${stroke}${region}/>`,
      type === "final" ? `<rect class="leaf" ${sized(inner)} rx="6"/>` : "",
      isTop
        ? `<rect ${sized({ x: x + 12, y: y + 26, width: 18, height: 2 })} rx="1" fill="${this.#tone(id)}"/>`
        : "",
      text("title", x + 12, y + 21, type === "history" ? `${title} (history)` : title),
      ...rows.map((row, index) => text("row", x + 12, y + 43 + index * 16, row.text)),
      "</g>",
    ].join("");
  }

  line({ edges: [first], lines }: PlacedEdge): string {
    const { source, kind } = this.#edges.get(first!)!;
    const tone = this.#tone(source);
    const dash = kind === "error" ? ' stroke-dasharray="4 3"' : "";
    return lines
      .map(
        (points) =>
          `<path class="line" stroke="${tone}"${dash} d="${roundedPath(points)}"/>${this.#arrow(points, tone)}`,
      )
      .join("");
  }

  initial(from: readonly [number, number], to: readonly [number, number]): string {
    const { faint } = this.#colours;
    const dot = `<circle cx="${from[0]}" cy="${from[1]}" r="3.5" fill="${faint}"/>`;
    return `${dot}<path class="line" stroke="${faint}" d="${roundedPath([from, to])}"/>${this.#arrow([from, to], faint)}`;
  }

  label({ lines, ...box }: NonNullable<PlacedEdge["label"]>): string {
    const middle = box.x + box.width / 2;
    const texts = lines.map((line, index) => text("label", middle, box.y + 14 + index * 15, line.text));
    return `<rect class="label-box" ${sized(box)} rx="4"/>${texts.join("")}`;
  }

  pill({ text: content, ...box }: Layout["pills"][number]): string {
    return `<rect class="pill" ${sized(box)} rx="10"/>${text("row", box.x + 9, box.y + 14, content)}`;
  }

  /** Draws an arrow head; lines that end at the same point share one. */
  #arrow(points: readonly (readonly [number, number])[], colour: string): string {
    const corners = arrowHead(points);
    const arrow = `<polygon points="${corners}" fill="${colour}"/>`;
    if (this.#arrows.has(arrow)) return "";
    this.#arrows.add(arrow);
    return arrow;
  }

  #tone(id: string): string {
    const parent = this.#nodes.get(id)?.parent;
    if (parent === undefined) return this.#colours.faint;
    const place = this.#topStates.indexOf(id);
    const { tones } = this.#colours;
    return place === -1 ? this.#tone(parent) : tones[place % tones.length]!;
  }
}

function styleOf({ page, root, group, leaf, border, label, title, text: letters, faint }: Colours): string {
  return [
    `text{font:11px "JetBrains Mono",ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}`,
    `.title{font-size:13px;fill:${title}}.row{fill:${faint}}.label{fill:${letters};text-anchor:middle}`,
    `.page{fill:${page}}.root{fill:${root};stroke:${border}}.group{fill:${group};stroke:${border}}`,
    `.leaf{fill:${leaf};stroke:${border}}.label-box{fill:${label}}.pill{fill:${leaf};stroke:${border}}`,
    `.line{fill:none;stroke-width:1.2;stroke-opacity:.85}`,
  ].join("");
}

function sized({ x, y, width, height }: Box): string {
  return `x="${x}" y="${y}" width="${width}" height="${height}"`;
}

function text(className: string, x: number, y: number, content: string): string {
  return `<text class="${className}" x="${x}" y="${y}">${escaped(content)}</text>`;
}

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** The colour scheme of a picture. */
type Theme = "light" | "dark";

/** The colours of both themes; `tones` are those of the top-level states, in their order. */
const COLOURS = {
  dark: {
    page: "#0a0c11",
    root: "#0f1218",
    group: "#12161e",
    leaf: "#181d27",
    border: "#2c3442",
    label: "#0b0e13",
    title: "#e8ebf2",
    text: "#a3adbf",
    faint: "#7f8a9e",
    tones: ["#7aa7ff", "#a78bfa", "#4cc4f0", "#f08cc8", "#f5b04d", "#8f9bb0"],
  },
  light: {
    page: "#ffffff",
    root: "#f8f9fb",
    group: "#f2f4f8",
    leaf: "#ffffff",
    border: "#c9d0db",
    label: "#eef0f4",
    title: "#171b24",
    text: "#4b5566",
    faint: "#5f6a7c",
    tones: ["#2b5fd0", "#6d3fd6", "#03749c", "#b32b7e", "#9a5b00", "#566277"],
  },
};
type Colours = (typeof COLOURS)[Theme];
