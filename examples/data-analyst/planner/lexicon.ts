export type MetricName = "sum" | "avg" | "count" | "min" | "max";
export type Period = "day" | "week" | "month" | "quarter" | "year";
export type Comparison = "=" | "!=" | ">" | ">=" | "<" | "<=";
export type ChartType = "bar" | "line" | "pie";

/** What a phrase of a question may mean, apart from names and values of the database. */
export type Cue =
  | { readonly kind: "metric"; readonly metric: MetricName }
  /** The mean of what a table's rows are worth: "average order value". */
  | { readonly kind: "averageValue" }
  | { readonly kind: "extreme"; readonly descending: boolean }
  | { readonly kind: "which" }
  | { readonly kind: "by" }
  | { readonly kind: "period"; readonly period: Period }
  | { readonly kind: "where" }
  | { readonly kind: "in" }
  | { readonly kind: "compare"; readonly comparison: Comparison }
  | { readonly kind: "chart"; readonly chart?: ChartType }
  | { readonly kind: "trend" }
  | { readonly kind: "overview" }
  | { readonly kind: "and" }
  | { readonly kind: "or" }
  | { readonly kind: "not" }
  /** Asks for more than the planner can do. */
  | { readonly kind: "beyond" }
  | { readonly kind: "filler" };

const entry = (cue: Cue, phrases: string): (readonly [string, Cue])[] =>
  phrases.split("|").map((phrase) => [phrase, cue]);

/** Phrases in lower case, longest match wins. */
export const CUES: readonly (readonly [string, Cue])[] = [
  ...entry(
    { kind: "metric", metric: "sum" },
    "total|totals|totalled|sum|sum up|add up|how much|overall|总计|合计|总和|总额|总量|总|求和|一共|共计",
  ),
  ...entry({ kind: "metric", metric: "avg" }, "average|averages|avg|mean|on average|平均|均值|平均值|平均数"),
  ...entry(
    { kind: "metric", metric: "count" },
    "count|counts|number of|the number of|total number of|how many|多少个|多少条|多少笔|多少|几个|个数|订单数|订单数量|订单量|笔数|人数|总数|条数|行数|数目|计数|数",
  ),
  ...entry({ kind: "metric", metric: "min" }, "min|minimum|最小值"),
  ...entry({ kind: "metric", metric: "max" }, "max|maximum|最大值"),
  ...entry(
    { kind: "averageValue" },
    "average order value|average order values|aov|average order amount|平均订单金额|平均订单价值|平均订单额|客单价|平均客单价",
  ),
  ...entry(
    { kind: "extreme", descending: true },
    "highest|largest|biggest|most|best|greatest|best selling|best-selling|最高|最大|最多|最好|最畅销",
  ),
  ...entry({ kind: "extreme", descending: false }, "lowest|smallest|least|worst|fewest|最低|最小|最少|最差"),
  ...entry({ kind: "which" }, "which|who|what|哪个|哪些|哪一个|哪种|哪家|哪位|谁|哪"),
  ...entry(
    { kind: "by" },
    "by|per|for each|for every|each|every|grouped by|group by|broken down by|split by|按照|按|各个|各|每个|每一个|每种|每位|每家|每|不同|分",
  ),
  ...entry(
    { kind: "period", period: "day" },
    "per day|by day|daily|each day|every day|for each day|days|每天|每日|按天|按日|逐日",
  ),
  ...entry(
    { kind: "period", period: "week" },
    "per week|by week|weekly|each week|every week|for each week|week|weeks|每周|按周|每星期|逐周",
  ),
  ...entry(
    { kind: "period", period: "month" },
    "per month|by month|monthly|each month|every month|for each month|month by month|month|months|每月|每个月|按月|按月份|各月|各月份|月度|逐月|月份|分月",
  ),
  ...entry(
    { kind: "period", period: "quarter" },
    "per quarter|by quarter|quarterly|each quarter|every quarter|for each quarter|quarter|quarters|每季度|每个季度|按季度|各季度|季度",
  ),
  ...entry(
    { kind: "period", period: "year" },
    "per year|by year|yearly|annual|annually|each year|every year|for each year|year|years|每年|按年|各年|按年份|年度|年份",
  ),
  ...entry({ kind: "where" }, "where|whose|with|having|only|when|if|其中|当|满足|只看|仅"),
  ...entry({ kind: "in" }, "in|for|from|at|within|during|on|在|于|来自"),
  ...entry({ kind: "compare", comparison: "=" }, "=|==|is|are|equals|equal to|is equal to|等于|为|是"),
  ...entry(
    { kind: "compare", comparison: "!=" },
    "!=|<>|≠|is not|are not|isn't|not equal to|不等于|不是|不为|非",
  ),
  ...entry(
    { kind: "compare", comparison: ">=" },
    ">=|≥|at least|is at least|no less than|不少于|不低于|大于等于|至少",
  ),
  ...entry(
    { kind: "compare", comparison: "<=" },
    "<=|≤|at most|is at most|no more than|不超过|不高于|不多于|小于等于|至多|最多为",
  ),
  ...entry(
    { kind: "compare", comparison: ">" },
    ">|greater than|is greater than|more than|is more than|above|over|is above|is over|大于|超过|高于|多于",
  ),
  ...entry(
    { kind: "compare", comparison: "<" },
    "<|less than|is less than|below|under|is below|is under|小于|低于|少于|不到",
  ),
  ...entry(
    { kind: "chart", chart: "bar" },
    "bar chart|bar charts|bar graph|column chart|bars|histogram|柱状图|条形图|柱形图",
  ),
  ...entry({ kind: "chart", chart: "line" }, "line chart|line graph|line|折线图|曲线图|趋势图"),
  ...entry({ kind: "chart", chart: "pie" }, "pie chart|pie|donut chart|饼图|饼状图|环形图"),
  ...entry({ kind: "chart" }, "chart|graph|plot|diagram|visualise|visualize|图表|图|可视化"),
  ...entry({ kind: "trend" }, "trend|trends|over time|development|趋势|走势|变化"),
  ...entry(
    { kind: "overview" },
    "analyse|analyze|analysis|overview|summarise|summarize|summary|report on|分析|概览|总结|概况",
  ),
  ...entry({ kind: "and" }, "and|&|as well as|plus|和|与|及|以及|并|并且|、"),
  ...entry({ kind: "or" }, "or|或|或者"),
  ...entry(
    { kind: "not" },
    "not|non-|non|without|except|excluding|except for|other than|not in|not from|but not|不含|不包括|排除|除了|除去|除|不在|剔除",
  ),
  ...entry(
    { kind: "beyond" },
    "versus|vs|compared to|compared with|last month|this month|last year|this year|last week|this week|yesterday|today|last quarter|this quarter|median|forecast|predict|correlation|percent|percentage|growth|ratio|上个月|上月|本月|这个月|去年|今年|上周|本周|昨天|今天|上季度|本季度|中位数|预测|相关性|百分比|占比|同比|环比|增长率",
  ),
  ...entry(
    { kind: "filler" },
    "of|the|a|an|all|any|our|my|me|us|we|you|i|please|can|could|would|do|does|did|was|were|be|been|has|have|had|show|give|tell|list|find|get|calculate|compute|draw|create|make|write|generate|produce|report|reports|with findings|findings|finding|conclusion|conclusions|table|data|database|it|its|that|this|these|there|then|to|as|also|number|numbers|figure|figures|result|results|made|placed|sold|than|ranked|ranking|brought|brings|spent|spend|earned|earns|bought|buy|sell|sells|sorted|ordered|split|breakdown|amounts to|let|know|want|need|like|see|look|into|some|one|single|different|distinct|unique|html|的|了|买了|买|卖出|卖|售出|请|帮我|帮|我|我们|给|出|画|绘制|做|生成|制作|写|撰写|编写|输出|一张|一个|一份|一下|份|张|报告|报表|结论|带结论|带有结论|发现|带|有|并且|计算|查询|看看|看|显示|列出|告诉|数据|表|表格|里|中|内|上|下|从|到|吗|呢|吧|啊|是多少|分别|外|之外|以外|排名|排行|排序|名|位|款|家|种|大|都|所有|全部|得到|得出|包含|包括|什么|如何|怎么样|怎样|根据|进行|对|把|要|会|能|可以|它|这|那|哪里|个|用|以|统计|统计一下|汇总|情况",
  ),
];
