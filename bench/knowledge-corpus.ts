/**
 * A corpus with labelled questions, made by this script from a seed: appliances of makers that do not exist, in English and Chinese.
 * Nothing in it is taken from anywhere; it has the licence of the package.
 */

/** A passage of the corpus. */
export type CorpusPassage = { readonly source: string; readonly text: string };
/** A question, and the text that answers it. */
export type CorpusQuestion = {
  readonly language: "en" | "zh";
  readonly question: string;
  readonly answer: string;
};
export type Corpus = {
  readonly passages: readonly CorpusPassage[];
  readonly questions: readonly CorpusQuestion[];
};

/** Numbers that look random and are the same for a seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    pick: <T>(from: readonly T[]): T => from[below(from.length)]!,
    chance: (p: number) => next() < p,
  };
}
type Random = ReturnType<typeof randomOf>;

/** What is said of a thing, and how people ask for it: often in other words than it is said. */
type Topic = {
  readonly says: (name: string, n: number) => string;
  readonly asks: readonly ((name: string) => string)[];
};

const EN: readonly Topic[] = [
  {
    says: (name, n) => `The ${name} is covered by a warranty of ${n} months from the day of purchase.`,
    asks: [
      (name) => `How many months of warranty does the ${name} have?`,
      (name) => `${name} guarantee months`,
    ],
  },
  {
    says: (name, n) => `With its packaging removed, the ${name} weighs ${n} kilograms.`,
    asks: [
      (name) => `What is the weight of the ${name} in kilograms?`,
      (name) => `How heavy is the ${name}?`,
    ],
  },
  {
    says: (name, n) => `A full charge of the battery lasts ${n} hours when the ${name} is used normally.`,
    asks: [(name) => `How long does the battery of the ${name} last?`, (name) => `${name} charging hours`],
  },
  {
    says: (name, n) => `To clean the filter of the ${name}, rinse it with cold water every ${n} weeks.`,
    asks: [
      (name) => `How often do I have to clean the filter of the ${name}?`,
      (name) => `cleaning ${name} filters`,
    ],
  },
  {
    says: (name, n) => `Spare parts of the ${name} stay in stock for ${n} years after production ends.`,
    asks: [
      (name) => `For how many years are spare parts of the ${name} available?`,
      (name) => `${name} spare part stocks`,
    ],
  },
  {
    says: (name, n) => `At the highest setting the ${name} makes ${n} decibels of noise.`,
    asks: [(name) => `How noisy is the ${name} at the highest setting?`, (name) => `decibels ${name} loud`],
  },
  {
    says: (name, n) => `The ${name} may be returned within ${n} days if it was not used.`,
    asks: [
      (name) => `Within how many days can I return the ${name}?`,
      (name) => `returning an unused ${name}`,
    ],
  },
  {
    says: (name, n) => `The cable of the ${name} is ${n} centimetres long and can be replaced.`,
    asks: [(name) => `What is the length of the cable of the ${name}?`, (name) => `replace ${name} cables`],
  },
  {
    says: (name, n) => `The tank of the ${name} holds ${n} litres; do not fill it with hot water.`,
    asks: [(name) => `How many litres fit into the tank of the ${name}?`, (name) => `${name} tank filling`],
  },
  {
    says: (name, n) =>
      `If the lamp of the ${name} blinks ${n} times, the motor has overheated and needs to cool down.`,
    asks: [(name) => `Why does the lamp of the ${name} blink?`, (name) => `${name} motor overheating`],
  },
];

const ZH: readonly Topic[] = [
  {
    says: (name, n) => `${name}自购买之日起保修${n}个月。`,
    asks: [(name) => `${name}的保修期是几个月？`, (name) => `${name}质保多久`],
  },
  {
    says: (name, n) => `去掉包装后，${name}的重量是${n}公斤。`,
    asks: [(name) => `${name}有多重？`, (name) => `${name}的重量是多少公斤？`],
  },
  {
    says: (name, n) => `正常使用时，${name}充满电可以用${n}个小时。`,
    asks: [(name) => `${name}充满电能用几个小时？`, (name) => `${name}电池续航`],
  },
  {
    says: (name, n) => `${name}的滤网每${n}周用冷水冲洗一次。`,
    asks: [(name) => `${name}的滤网多久洗一次？`, (name) => `怎么清洗${name}滤网`],
  },
  {
    says: (name, n) => `${name}停产以后，备用零件还会供应${n}年。`,
    asks: [(name) => `${name}的零件供应多少年？`, (name) => `${name}停产后还能买到零件吗？`],
  },
  {
    says: (name, n) => `在最高档，${name}的噪音是${n}分贝。`,
    asks: [(name) => `${name}最高档的噪音有多大？`, (name) => `${name}吵不吵，多少分贝`],
  },
  {
    says: (name, n) => `没有用过的${name}可以在${n}天之内退货。`,
    asks: [(name) => `${name}几天之内可以退货？`, (name) => `退回没用过的${name}`],
  },
  {
    says: (name, n) => `${name}的电线长${n}厘米，可以更换。`,
    asks: [(name) => `${name}的电线有多长？`, (name) => `更换${name}电线`],
  },
  {
    says: (name, n) => `${name}的水箱能装${n}升水，不要加热水。`,
    asks: [(name) => `${name}的水箱能装多少升？`, (name) => `${name}水箱容量`],
  },
  {
    says: (name, n) => `如果${name}的指示灯闪${n}下，说明电机过热，需要冷却。`,
    asks: [(name) => `${name}的指示灯为什么闪？`, (name) => `${name}电机过热怎么办`],
  },
];

const SYLLABLES =
  "ba be bo da do el fa ga ka ki la lo ma mi na no or pa ra ri sa so ta ti va ve vi za zu".split(" ");
const KINDS = ["kettle", "toaster", "vacuum cleaner", "fan", "heater", "blender", "coffee machine", "iron"];
const HAN = Array.from("青松白云海星晨光远山金叶南风北斗明月清泉红枫雪莲银河翠竹");
const HAN_KINDS = ["水壶", "烤面包机", "吸尘器", "电风扇", "取暖器", "搅拌机", "咖啡机", "电熨斗"];
const ASIDES_EN = [
  "Keep this page with the receipt.",
  "The picture shows the model of last year.",
  "Ask your dealer if anything is missing.",
  "Children must not play with it.",
];
const ASIDES_ZH = [
  "请保留本说明和收据。",
  "图片为去年的型号。",
  "如有缺件请联系经销商。",
  "请勿让儿童玩耍。",
];

const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

function nameIn(language: "en" | "zh", random: Random): string {
  const { pick } = random;
  if (language === "zh") return `${pick(HAN)}${pick(HAN)}${pick(HAN)}${pick(HAN_KINDS)}`;
  const maker = capitalized(pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES));
  return `${maker} ${pick(KINDS)}`;
}

/** A name as people type it: two letters of an English one may have changed places. */
function typed(name: string, { below, chance }: Random): string {
  if (!/^[A-Z]/u.test(name) || !chance(0.1)) return name;
  const at = 1 + below(4);
  return name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2);
}

/** At least so many passages, half of them English, and so many questions. */
export function corpusOf(passageCount: number, questionCount: number, seed = 1): Corpus {
  const random = randomOf(seed);
  const passages: CorpusPassage[] = [];
  const labelled: {
    readonly language: "en" | "zh";
    readonly name: string;
    readonly topic: Topic;
    readonly answer: string;
  }[] = [];
  const names = new Set<string>();
  while (passages.length < passageCount) {
    const language = names.size % 2 === 0 ? "en" : "zh";
    let name = nameIn(language, random);
    while (names.has(name)) name = nameIn(language, random);
    names.add(name);
    for (const topic of language === "en" ? EN : ZH) {
      const said = topic.says(name, 2 + random.below(95));
      const aside = random.pick(language === "en" ? ASIDES_EN : ASIDES_ZH);
      const text = language === "en" ? `${said} ${aside}` : `${said}${aside}`;
      passages.push({ source: `${name}.md`, text });
      labelled.push({ language, name, topic, answer: text });
    }
  }
  const questions = Array.from({ length: questionCount }, (_, index): CorpusQuestion => {
    const language = index % 2 === 0 ? "en" : "zh";
    let asked = random.pick(labelled);
    while (asked.language !== language) asked = random.pick(labelled);
    return {
      language,
      question: random.pick(asked.topic.asks)(typed(asked.name, random)),
      answer: asked.answer,
    };
  });
  return { passages, questions };
}
