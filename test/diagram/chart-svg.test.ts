// The chart of a machine as SVG.
import { describe, expect, test } from "vitest";
import { createMachine } from "xstate";
import { chartJson } from "agentchart/machines";
import { isDecision } from "../../src/core/diagram/chart-json.ts";
import { chartSvg } from "../../src/core/diagram/chart-svg.ts";
import { CHARTS, layoutsOf } from "./charts.ts";

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) =>
    text!.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  );

describe("chartSvg", () => {
  test("contains every title, label and pill of the layout as text", async () => {
    const chart = CHARTS["the agent"]!;
    const { landscape, portrait } = await layoutsOf(chart);
    for (const layout of [landscape, portrait]) {
      const texts = textsOf(chartSvg(chart, layout)).toSorted();
      const written = [
        ...layout.nodes.flatMap(({ title, rows }) => [title, ...rows.map(({ text }) => text)]),
        ...layout.edges.flatMap(({ label }) => label?.lines.map(({ text }) => text) ?? []),
        ...layout.pills.map(({ text }) => text),
      ];
      expect(texts).toEqual(written.toSorted());
    }
  });

  test("draws decisions with cut corners and a ◇ in the title, and states as rounded boxes", async () => {
    const chart = CHARTS["the agent"]!;
    const { landscape } = await layoutsOf(chart);
    const svg = chartSvg(chart, landscape);
    const decisions = chart.nodes.filter(isDecision);
    const titles = [...svg.matchAll(/<g><polygon [^>]*\/><text class="title"[^>]*>([^<]*)</g)];
    expect(titles.map(([, title]) => title)).toEqual(decisions.map(({ key }) => `◇ ${key}`));
    expect(svg.match(/<g><rect /g)).toHaveLength(chart.nodes.length - decisions.length);
  });

  test("draws the themes with different colours and the same shapes", async () => {
    const chart = CHARTS["three levels"]!;
    const { portrait } = await layoutsOf(chart);
    const shape = (svg: string): string => svg.replace(/#[0-9a-f]{6}/g, "#");
    const [light, dark] = [chartSvg(chart, portrait, "light"), chartSvg(chart, portrait, "dark")];
    expect(light).not.toBe(dark);
    expect(shape(light)).toBe(shape(dark));
  });

  test("escapes hostile names, shortens them and keeps them on one line", async () => {
    const evil = `</text><script>alert("1")</script>&'`;
    const machine = createMachine({
      id: evil,
      initial: evil,
      states: {
        [evil]: { entry: "a\u0000b\u202Ec\nd", on: { "]]><image href='http://evil.test/'/>": "long" } },
        long: { always: { guard: "x".repeat(5_000), target: "emoji" } },
        emoji: { tags: [], exit: "👩‍🔬\uD800" },
      },
      on: { "<b>": { actions: "<i>" } },
    });
    const chart = chartJson(machine);
    const { landscape } = await layoutsOf(chart);
    const svg = chartSvg(chart, landscape);
    const tags = new Set([...svg.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name));
    expect([...tags].toSorted()).toEqual(
      ["circle", "desc", "g", "path", "polygon", "rect", "style", "svg", "text", "title"].toSorted(),
    );
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/="[^"]*https?:/);
    expect(svg).toContain("&#60;/text&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;");
    expect(svg).toContain("↳ a\u{FFFD}b\u{FFFD}c\u{FFFD}d");
    expect(svg).toContain(`[${"x".repeat(58)}…`);
    expect(svg.isWellFormed()).toBe(true);
    expect(Math.max(...landscape.nodes.map(({ width }) => width))).toBeLessThan(2_000);
  });
});
