import type { EChartsOption } from "echarts";

export const CHART_TYPES = ["bar", "line"] as const;

export type ChartPoint = { readonly label: string; readonly value: number | null };
export type Drawing = {
  readonly type: (typeof CHART_TYPES)[number];
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly points: readonly ChartPoint[];
};

const WIDTH = 760;
const HEIGHT = 400;
const FONT =
  "system-ui, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif";
/** What an SVG of ours never holds, whatever the labels say. */
const ACTIVE = /<(script|foreignObject|iframe|image|use|a)\b|\son\w+\s*=|\bhref\s*=/i;

const SHORT_LABEL = 24;

function shorten(label: string): string {
  return label.length > SHORT_LABEL ? `${label.slice(0, SHORT_LABEL - 1)}…` : label;
}

function optionOf({ type, title, xName, yName, points }: Drawing): EChartsOption {
  const labels = points.map(({ label }) => shorten(label));
  const base = {
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: FONT },
    title: {
      text: title,
      left: "center",
      textStyle: { fontFamily: FONT, fontSize: 16, width: WIDTH - 40, overflow: "truncate" },
    },
  } satisfies EChartsOption;
  return {
    ...base,
    grid: { left: 20, right: 30, top: 70, bottom: 40, containLabel: true },
    xAxis: {
      type: "category",
      name: xName,
      nameLocation: "middle",
      nameGap: points.length > 12 ? 60 : 28,
      data: labels,
      axisLabel: { rotate: points.length > 12 ? 40 : 0 },
    },
    yAxis: { type: "value", name: yName },
    series: [
      {
        type,
        silent: true,
        barMaxWidth: 60,
        showSymbol: points.length <= 60,
        label: { show: points.length <= 12, position: "top" },
        data: points.map(({ value }) => value),
      },
    ],
  };
}

/** The chart as an SVG text without scripts, links or outside references. Labels are escaped by ECharts; should
 *  something active get through all the same, this throws. ECharts is loaded at the first drawing. */
export async function drawChart(drawing: Drawing): Promise<string> {
  const { init } = await import("echarts");
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  try {
    chart.setOption(optionOf(drawing));
    // The only style sheet in it is about hovering, and it would apply to the whole page.
    const svg = chart.renderToSVGString().replaceAll(/<style\b[\s\S]*?<\/style>/g, "");
    if (ACTIVE.test(svg.replaceAll(/>[^<]*</g, "><")))
      throw new Error("The chart contains active content; it was not kept.");
    return svg;
  } finally {
    // Without this a timer of the chart keeps the process alive.
    chart.dispose();
  }
}
