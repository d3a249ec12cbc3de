import { canBeNumber, isOnlyNumeric, type Draft } from "./draft.ts";

/** "total and average amount", "金额的总和与平均值": a metric without a noun takes the one of its neighbour in a list. */
export function shareNouns({ tokens, metrics }: Draft): void {
  const linked = (from: number, to: number): boolean =>
    tokens.slice(from + 1, to).every(({ kind }) => ["and", "break", "metric", "name"].includes(kind));
  metrics.forEach((metric, index) => {
    if (metric.noun || metric.bound || metric.metric === "count") return;
    const next = metrics.slice(index + 1).find(({ bound }) => bound === "right");
    const previous = metrics.slice(0, index).findLast(({ bound }) => bound === "left");
    const after = next && linked(metric.at, next.at) ? next : undefined;
    const lender = after ?? (previous && linked(previous.at, metric.at) ? previous : undefined);
    if (lender?.noun && lender.metric !== "count") metrics[index] = { ...metric, noun: lender.noun };
  });
}

/** Decides whether "highest" means one row of a group or a maximum. */
export function settleRanking(draft: Draft): void {
  const { extreme, counted, top } = draft;
  if (top && extreme) draft.top = { ...top, descending: extreme.descending };
  if (!extreme || top) {
    if (top && !draft.period && draft.groups.length === 0) rankFirstTopic(draft);
    return;
  }
  if (counted && draft.groups.every(({ text }) => text === counted.noun.text)) {
    draft.topics = draft.topics.filter(({ text }) => text !== counted.noun.text);
    draft.groups = [counted.noun];
    draft.top = { count: counted.count, descending: extreme.descending };
    return;
  }
  const ranksGroup = draft.groups.length > 0 && !draft.tokens.some(({ kind }) => kind === "by");
  const ranksPeriod = draft.groups.length === 0 && draft.tokens[extreme.at + 1]?.kind === "period";
  if (draft.which || ranksGroup || ranksPeriod) {
    draft.top = { count: 1, descending: extreme.descending };
    return;
  }
  const index = draft.topics.findIndex((topic) => canBeNumber(topic) && topic.at > extreme.at);
  const [noun] = index === -1 ? [] : draft.topics.splice(index, 1);
  draft.metrics.push({ metric: extreme.descending ? "max" : "min", at: extreme.at, ...(noun && { noun }) });
}

/** "城市销售额前五": the things that are ranked were named first. */
function rankFirstTopic(draft: Draft): void {
  const at = draft.topics.findIndex((topic) => !isOnlyNumeric(topic));
  if (at !== -1) draft.groups.push(...draft.topics.splice(at, 1));
}

const SAYS_AVERAGE = /^(avg|average|mean)[_ ]|平均/i;
const SAYS_TOTAL = /^(total|sum)[_ ]|总|合计/i;

/** Finds what to compute when no metric was named, and what metrics without a noun speak of. */
export function settleMetrics(draft: Draft): void {
  const { topics, metrics } = draft;
  const numeric = topics.filter(canBeNumber);
  const asksForRows =
    draft.period !== undefined ||
    draft.top !== undefined ||
    [draft.groups, draft.spans, draft.values, draft.filters, draft.lookups].some(({ length }) => length > 0);
  if (metrics.length === 0) {
    const saysWhat = numeric.some(({ text }) => SAYS_AVERAGE.test(text) || SAYS_TOTAL.test(text));
    if (numeric.length > 0 && (asksForRows || draft.overview || saysWhat)) {
      for (const noun of numeric)
        metrics.push({ metric: SAYS_AVERAGE.test(noun.text) ? "avg" : "sum", noun, at: noun.at });
    } else if (asksForRows && topics.length > 0) metrics.push({ metric: "count", noun: topics[0]!, at: 0 });
    else if (draft.top || draft.overview) metrics.push({ metric: "sum", at: 0 });
    else if (draft.filters.length > 0 && (draft.groups.length > 0 || draft.period))
      metrics.push({ metric: "count", at: 0 });
  }
  const [subject] = numeric;
  draft.metrics = metrics.map((metric) =>
    metric.noun || metric.metric === "count" || !subject ? metric : { ...metric, noun: subject },
  );
  const [only, ...more] = draft.metrics;
  if (draft.overview && only?.metric === "sum" && more.length === 0)
    draft.metrics.push({ ...only, metric: "avg" });
}
