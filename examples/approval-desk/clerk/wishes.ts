/** What a customer's message asks for, as far as rules can recognise it. */
export type Wish = {
  readonly orderId?: string;
  readonly wantsMoney: boolean;
  /** The amount in the message, in cents. */
  readonly cents?: number;
};

const ORDER = /(?:order|no\.?|number|#)\s*#?\s*(\d{3,9})\b/i;
const MONEY = /\b(refund|refunded|money back|reimburse\w*|pay back|return(ed|ing)?)\b/i;
const AMOUNT =
  /(?:€|eur(?:os?)?\s)\s*(\d{1,7})(?:[.,](\d{2}))?\b|\b(\d{1,7})(?:[.,](\d{2}))?\s*(?:€|eur(?:os?)?\b)/i;

/** Parses one message. */
export function readWish(text: string): Wish {
  const orderId = ORDER.exec(text)?.[1];
  const [, before, beforeCents, after, afterCents] = AMOUNT.exec(text) ?? [];
  const [euros, cents = "0"] = [before ?? after, beforeCents ?? afterCents];
  return {
    ...(orderId !== undefined && { orderId }),
    wantsMoney: MONEY.test(text),
    ...(euros !== undefined && { cents: Number(euros) * 100 + Number(cents) }),
  };
}
