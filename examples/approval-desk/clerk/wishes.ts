/** What a customer's message asks for, as far as rules can recognise it. */
export type Wish = {
  readonly orderId?: string;
  readonly wantsMoney: boolean;
  /** The customer says that the goods are damaged. */
  readonly isDamaged: boolean;
  /** The amount in the message, in cents. */
  readonly cents?: number;
};

const ORDER = /(?:order|no\.?|number|#|订单号?|单号)\s*[#:：]?\s*(\d{3,9})(?!\d)/i;
const MONEY =
  /\b(?:refund|refunded|money back|reimburse\w*|pay back|return(?:ed|ing)?)\b|退款|退钱|退货|退还|退给/i;
const DAMAGE = /\b(?:broken|damaged|cracked|smashed|scratched|in pieces)\b|破|坏|碎|裂|划痕/i;
const AMOUNT =
  /(?:€|eur(?:os?)?\s)\s*(\d{1,7})(?:[.,](\d{2}))?\b|\b(\d{1,7})(?:[.,](\d{2}))?\s*(?:€|eur(?:os?)?\b|欧元?)/i;

/** Parses one message. */
export function readWish(text: string): Wish {
  const orderId = ORDER.exec(text)?.[1];
  const [, before, beforeCents, after, afterCents] = AMOUNT.exec(text) ?? [];
  const [euros, cents = "0"] = [before ?? after, beforeCents ?? afterCents];
  return {
    ...(orderId !== undefined && { orderId }),
    wantsMoney: MONEY.test(text),
    isDamaged: DAMAGE.test(text),
    ...(euros !== undefined && { cents: Number(euros) * 100 + Number(cents) }),
  };
}

/** What several messages ask for together: what was said last counts. */
export function readWishes(texts: readonly string[]): Wish {
  const wishes = texts.map(readWish);
  return {
    ...Object.assign({}, ...wishes),
    wantsMoney: wishes.some(({ wantsMoney }) => wantsMoney),
    isDamaged: wishes.some(({ isDamaged }) => isDamaged),
  } as Wish;
}
