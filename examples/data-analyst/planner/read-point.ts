/** A point of time: what a text says of it, and how long it is in the text. `months` are several for a quarter. */
export type Point = {
  readonly year?: string;
  readonly months?: readonly number[];
  readonly day?: number;
  readonly length: number;
};

const MONTHS = [
  "jan(?:uary)?",
  "feb(?:ruary)?",
  "mar(?:ch)?",
  "apr(?:il)?",
  "may",
  "june?",
  "july?",
  "aug(?:ust)?",
  "sept?(?:ember)?",
  "oct(?:ober)?",
  "nov(?:ember)?",
  "dec(?:ember)?",
];
const HAN_NUMBERS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
const ORDINALS = ["first", "second", "third", "fourth"];

const YEAR = "(?<year>(?:19|20)\\d{2})";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const QUARTER = "(?<quarter>[1-4])";
const OF = "\\s*(?:of|in|,|/|-)?\\s*";
const END = "(?![A-Za-z\\d])";
const NO_DIGIT = "(?!\\d)";
const HAN_YEAR = `${YEAR}\\s*年\\s*`;
const HAN_MONTH = "(?<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])";

/** Ways to write a point of time; the first that fits is taken, so the longer ones come first. */
const PATTERNS = [
  `${YEAR}[-/](?<month>0[1-9]|1[0-2])[-/](?<day>0[1-9]|[12]\\d|3[01])${NO_DIGIT}`,
  `(?<day>0?[1-9]|[12]\\d|3[01])\\.(?<month>1[0-2]|0?[1-9])\\.${YEAR}${NO_DIGIT}`,
  `${YEAR}[-/](?<month>0[1-9]|1[0-2])${NO_DIGIT}`,
  `${YEAR}\\s*[-/]?\\s*q${QUARTER}${END}`,
  `q${QUARTER}(?:${OF}${YEAR})?${END}`,
  `(?<quarter>${ORDINALS.join("|")}|[1-4](?:st|nd|rd|th)) quarter(?:${OF}${YEAR})?${END}`,
  `(?<half>first|second) half(?:${OF}${YEAR})?${END}`,
  `h(?<half>[12])(?:${OF}${YEAR})?${END}`,
  `${MONTH}\\.?\\s+${DAY},?\\s+${YEAR}${END}`,
  `${DAY}\\s+${MONTH},?\\s+${YEAR}${END}`,
  `${MONTH}\\.?${OF}${YEAR}${END}`,
  `${YEAR}\\s+${MONTH}${END}`,
  `${HAN_YEAR}q${QUARTER}${END}`,
  `${HAN_YEAR}第?\\s*(?<quarter>[1-4一二三四])\\s*季度?`,
  "第?(?<quarter>[1-4一二三四])季度",
  `(?:${HAN_YEAR})?(?<half>[上下])半年`,
  `(?:${HAN_YEAR})?${HAN_MONTH}\\s*月(?!度)份?\\s*(?:(?<day>\\d{1,2})\\s*[日号])?`,
  `${YEAR}\\s*年(?:度|全年)?`,
  `${MONTH}\\.?${END}`,
  `${YEAR}${END}`,
].map((pattern) => new RegExp(`^${pattern}`, "iu"));

/** 1 for "first", "1st", "一" and "1". */
function ordinal(text: string): number {
  const index = Math.max(ORDINALS.indexOf(text.toLowerCase()), HAN_NUMBERS.indexOf(text));
  return index === -1 ? Number.parseInt(text, 10) : index + 1;
}

function monthOf(text: string): number {
  const index = MONTHS.findIndex((month) => new RegExp(`^${month}$`, "i").test(text));
  return index === -1 ? ordinal(text) : index + 1;
}

function monthsOf({
  month,
  quarter,
  half,
}: Readonly<Record<string, string | undefined>>): number[] | undefined {
  if (month !== undefined) return [monthOf(month)];
  if (quarter !== undefined) return [2, 1, 0].map((back) => ordinal(quarter) * 3 - back);
  if (half === undefined) return undefined;
  const start = half === "下" || ordinal(half) === 2 ? 7 : 1;
  return [0, 1, 2, 3, 4, 5].map((offset) => start + offset);
}

/** The point of time that a text starts with. "may", "mar" and "march" alone are months with a capital letter only. */
export function readPoint(text: string): Point | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(text);
    if (!match || /^(may|mar|march)$/.test(match[0])) continue;
    const groups = match.groups ?? {};
    const { year, day } = groups;
    const months = monthsOf(groups);
    return {
      length: match[0].length,
      ...(year !== undefined && { year }),
      ...(months && { months }),
      ...(day !== undefined && { day: Number(day) }),
    };
  }
  return undefined;
}
