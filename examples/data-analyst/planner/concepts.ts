/**
 * What people call things, in English and Chinese: the words that may stand for a column whatever the asker's language
 * and the column's are. The first line is what is meant by "sales" or "value" when a table has no column of that name.
 */
const CONCEPTS: readonly (readonly string[])[] = [
  [
    "amount",
    "order amount",
    "sales amount",
    "sales",
    "revenue",
    "turnover",
    "order value",
    "order total",
    "total price",
    "total",
    "net amount",
    "gross amount",
    "income",
    "value",
    "subtotal",
    "金额",
    "销售额",
    "销售金额",
    "订单金额",
    "成交额",
    "交易额",
    "营业额",
    "营收",
    "收入",
    "销售",
    "订单额",
  ],
  ["quantity", "qty", "units", "units sold", "pieces", "数量", "销量", "销售量", "件数"],
  ["unit price", "price", "list price", "单价", "价格", "售价"],
  ["cost", "expense", "spending", "成本", "费用", "支出"],
  ["profit", "margin", "earnings", "利润", "毛利"],
  ["discount", "折扣", "优惠"],
  ["tax", "vat", "税", "税额"],
  ["city", "town", "城市"],
  ["region", "area", "territory", "地区", "区域", "大区"],
  ["country", "nation", "国家"],
  ["province", "省", "省份"],
  [
    "category",
    "product category",
    "type",
    "kind",
    "group",
    "类别",
    "品类",
    "分类",
    "种类",
    "商品类别",
    "产品类别",
    "类型",
  ],
  ["product", "item", "article", "goods", "产品", "商品"],
  ["customer", "client", "buyer", "客户", "顾客", "买家", "用户"],
  ["order", "order id", "order number", "订单", "订单号", "订单编号"],
  ["order date", "date", "day", "日期", "订单日期", "下单日期", "时间"],
  ["status", "order status", "state", "状态", "订单状态"],
  ["channel", "sales channel", "渠道", "销售渠道"],
  ["store", "shop", "branch", "outlet", "门店", "店铺", "商店", "分店"],
  ["employee", "staff", "worker", "员工", "雇员", "职员"],
  ["salesperson", "seller", "sales rep", "agent", "销售员", "业务员"],
  ["department", "dept", "team", "部门"],
  ["salary", "wage", "pay", "工资", "薪资", "薪水", "薪酬"],
  ["age", "年龄"],
  ["score", "rating", "grade", "mark", "分数", "评分", "成绩", "得分"],
  ["gender", "sex", "性别"],
  ["name", "full name", "姓名", "名称", "名字"],
  ["brand", "品牌"],
  ["supplier", "vendor", "供应商"],
  ["payment method", "payment", "支付方式", "付款方式"],
  ["weight", "重量"],
  ["stock", "inventory", "库存"],
  ["duration", "hours", "时长", "工时"],
  ["class", "班级"],
  ["temperature", "温度", "气温"],
  ["population", "人口"],
];

/** Chinese words for values, as English data write them. */
export const VALUE_ALIASES: readonly (readonly [string, string])[] = [
  ["上海", "Shanghai"],
  ["北京", "Beijing"],
  ["广州", "Guangzhou"],
  ["深圳", "Shenzhen"],
  ["香港", "Hong Kong"],
  ["新加坡", "Singapore"],
  ["东京", "Tokyo"],
  ["柏林", "Berlin"],
  ["伦敦", "London"],
  ["巴黎", "Paris"],
  ["纽约", "New York"],
  ["多伦多", "Toronto"],
  ["圣保罗", "São Paulo"],
  ["已完成", "completed"],
  ["完成", "completed"],
  ["已取消", "cancelled"],
  ["取消", "cancelled"],
  ["取消", "canceled"],
  ["已退款", "refunded"],
  ["退款", "refunded"],
  ["已发货", "shipped"],
  ["发货", "shipped"],
];

/** A name as words: `unitPrice`, `unit_price` and `Unit-Price` are "unit price". */
export function wordsOf(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_\-.\s/]+/g, " ")
    .trim()
    .toLowerCase();
}

/** The singular of the last word of an English phrase, by rule. */
export function singular(phrase: string): string {
  if (/(ss|us|is)$/.test(phrase)) return phrase;
  if (phrase.endsWith("ies")) return phrase.replace(/ies$/, "y");
  if (/(x|ch|sh|ss)es$/.test(phrase)) return phrase.replace(/es$/, "");
  return phrase.replace(/s$/, "");
}

/** The plural of the last word of an English phrase, by rule. */
export function plural(phrase: string): string {
  if (!/[a-z]$/.test(phrase)) return phrase;
  if (/[^aeiou]y$/.test(phrase)) return phrase.replace(/y$/, "ies");
  return /(s|x|ch|sh)$/.test(phrase) ? `${phrase}es` : `${phrase}s`;
}

const conceptOf = new Map(
  CONCEPTS.flatMap((terms, index) => terms.flatMap((term) => [[term, index] as const])),
);
const QUALIFIER = /( (id|name|code|key|no|number|title)|编号|名称|名|号)$/;

/** Other words for a name, best first, with how sure they are: 2 for what it is called, 1 for what its last word is. */
export function synonymsOf(name: string): { readonly term: string; readonly weight: number }[] {
  const words = wordsOf(name);
  const found: { term: string; weight: number }[] = [];
  const add = (phrase: string, weight: number): void => {
    const concept = conceptOf.get(phrase) ?? conceptOf.get(singular(phrase));
    if (concept !== undefined) for (const term of CONCEPTS[concept]!) found.push({ term, weight });
  };
  add(words, 2);
  const base = words.replace(QUALIFIER, "");
  if (base !== words) {
    found.push({ term: base, weight: 2 });
    add(base, 2);
  }
  const tail = /^[\p{L}\d]+ (.+)$/u.exec(words)?.[1];
  if (tail !== undefined) {
    found.push({ term: tail, weight: 1 });
    add(tail, 1);
  }
  return found;
}

/** How well a column stands for "sales" or "value" when nothing is named: 0 is best, -1 is not at all. */
export function amountRank(name: string): number {
  const words = wordsOf(name);
  const terms = CONCEPTS[0]!;
  const exact = terms.indexOf(words) === -1 ? terms.indexOf(singular(words)) : terms.indexOf(words);
  if (exact !== -1) return exact;
  const suffix = terms.findIndex(
    (term) => words.endsWith(` ${term}`) || (/\p{Script=Han}/u.test(term) && words.endsWith(term)),
  );
  return suffix === -1 ? -1 : terms.length + suffix;
}

/** The words that stand for a phrase in a language: the first of its concept that are of this language. */
export function translate(phrase: string, language: "en" | "zh"): string | undefined {
  if (/\p{Script=Han}/u.test(phrase) === (language === "zh")) return undefined;
  const concept = conceptOf.get(phrase) ?? conceptOf.get(singular(phrase));
  return concept === undefined
    ? undefined
    : CONCEPTS[concept]!.find((term) => /\p{Script=Han}/u.test(term) === (language === "zh"));
}
