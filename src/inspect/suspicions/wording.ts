/** The maximum number of characters of a text that a sentence quotes, and of names that it lists. */
const [MAX_QUOTE, MAX_NAMES] = [90, 4];

/** The first line of a text, cut. */
export function firstLine(text = ""): string {
  const line = text.trim().split("\n", 1)[0]!;
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE - 1)}…` : line;
}

/** Returns a frequency, in words. */
export const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Names as one phrase: "a", "a and b", "a, b, c, d and 7 more"; "nothing" if there are none. */
export function listed(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const more = names.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  return parts.length < 2 ? (parts[0] ?? "nothing") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The items by their key, in the order in which the keys came. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}

/** The steps that asked for calls. */
export const stepsOf = (calls: readonly { readonly askedAt: number }[]): readonly number[] =>
  calls.map(({ askedAt }) => askedAt);
