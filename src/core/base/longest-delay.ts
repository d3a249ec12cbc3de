/** The longest delay of a Node timer, ms: about 24 days. A longer time limit counts as no limit. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;
