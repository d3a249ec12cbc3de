/** Rows of a table as they stand in its CSV file. */
export type Row = { readonly [column: string]: string };
export type ForeignTable = { readonly file: string; readonly csv: string; readonly rows: readonly Row[] };

/** Numbers below a bound, always the same ones: the tables of the questions never change. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * bound);
  };
}

type Next = {
  readonly index: number;
  below(bound: number): number;
  oneOf(...values: readonly string[]): string;
};

function table(file: string, count: number, rowOf: (next: Next) => Row, delimiter = ","): ForeignTable {
  const below = numbers(file.length * 977 + count);
  const rows = Array.from({ length: count }, (_, index) =>
    rowOf({ index, below, oneOf: (...values) => values[below(values.length)]! }),
  );
  const cell = (text: string): string => (/[",;]/.test(text) ? `"${text}"` : text);
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  return { file, csv: lines.map((cells) => cells.map(cell).join(delimiter)).join("\n"), rows };
}

const two = (value: number): string => String(value).padStart(2, "0");
const cents = (value: number): string => (value / 100).toFixed(2);

export const COFFEE = table("coffee", 120, ({ below, oneOf }) => ({
  date: `2025-0${1 + below(5)}-${two(1 + below(28))}`,
  city: oneOf("Oslo", "Bergen", "Trondheim"),
  drink: oneOf("coffee", "tea", "cocoa", "matcha"),
  cups: String(1 + below(12)),
  member: oneOf("yes", "no"),
  revenue: cents(500 + below(9000)),
}));

export const BESTELLUNGEN = table(
  "bestellungen",
  90,
  ({ index, below, oneOf }) => ({
    "#": String(index + 1),
    Datum: `${two(1 + below(28))}.${two(1 + below(6))}.2024`,
    Produkt: oneOf("Tisch", "Stuhl", "Lampe", "Regal"),
    Menge: String(1 + below(20)),
    "Preis €": cents(1000 + below(90_000)).replace(".", ","),
    Status: oneOf("paid", "open", "cancelled"),
  }),
  ";",
);

export const ORDERS = table("orders", 80, ({ index, below, oneOf }) => ({
  order_id: `A-${1000 + index}`,
  placed: `${1 + below(28)}.${1 + below(12)}.${2023 + below(2)}`,
  customer: oneOf("Anna", "Bjorn", "Carla", "Dagny", "Emil"),
  country: oneOf("Norway", "Sweden", "Denmark"),
  items: String(1 + below(9)),
  total: cents(900 + below(50_000)),
  status: oneOf("shipped", "cancelled", "open"),
}));

export const EMPLOYEES = table("employees", 60, ({ index, below, oneOf }) => ({
  name: `Person ${index + 1}`,
  department: oneOf("Sales", "Research", "Support"),
  salary: String(30_000 + 100 * below(500)),
  age: String(21 + below(40)),
  hired: `${2014 + below(11)}-${two(1 + below(12))}-${two(1 + below(28))}`,
  remote: oneOf("true", "false"),
}));

export const FLIGHTS = table("flights", 100, ({ index, below, oneOf }) => ({
  flight_no: `SK${100 + index}`,
  airline: oneOf("Nordair", "Fjordjet", "Polar"),
  origin: oneOf("Oslo", "Bodo", "Alta"),
  passengers: String(40 + below(160)),
  delay_minutes: String(below(90)),
  departure: `2025-0${4 + below(3)}-${two(1 + below(28))} ${two(below(24))}:${two(below(60))}`,
}));

export const SHOPS = table("门店销售", 110, ({ below, oneOf }) => ({
  日期: `2025-0${1 + below(4)}-${two(1 + below(28))}`,
  城市: oneOf("北京", "上海", "成都"),
  商品: oneOf("绿茶", "红茶", "咖啡"),
  数量: String(1 + below(15)),
  金额: cents(1000 + below(20_000)),
  会员: oneOf("是", "否"),
}));

export const MARKS = table("成绩", 90, ({ index, below, oneOf }) => ({
  序号: String(index + 1),
  姓名: `学生${String.fromCodePoint(0x4e00 + Math.floor(index / 3))}`,
  班级: oneOf("一班", "二班", "三班"),
  科目: oneOf("数学", "语文", "英语"),
  分数: String(40 + below(61)),
}));

export const STAFF = table("员工", 70, ({ index, below, oneOf }) => ({
  工号: String(7001 + index),
  姓名: `员工${String.fromCodePoint(0x5000 + index)}`,
  部门: oneOf("技术部", "市场部", "财务部"),
  工资: String(6000 + 50 * below(400)),
  入职日期: `${two(1 + below(28))}.${two(1 + below(12))}.${2018 + below(7)}`,
}));

export const STOCK = table("库存", 50, ({ index, below, oneOf }) => ({
  编号: `P${two(index)}`,
  商品名称: `商品${String.fromCodePoint(0x6000 + index)}`,
  类别: oneOf("文具", "家电", "食品"),
  仓库: oneOf("一号仓", "二号仓"),
  库存: String(below(100)),
  单价: cents(100 + below(30_000)),
}));

export const ORDERS_ZH = table("订单", 95, ({ index, below, oneOf }) => ({
  订单号: `D${20_000 + index}`,
  下单日期: `2024年${1 + below(6)}月${1 + below(28)}日`,
  客户: oneOf("张三", "李四", "王五", "赵六"),
  渠道: oneOf("线上", "门店"),
  订单金额: cents(500 + below(80_000)),
  状态: oneOf("已完成", "已取消", "已退款"),
}));
