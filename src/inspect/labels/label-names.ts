/** The judgements of people. `none` withdraws what the same session was said to be. */
export const LABELS = ["right", "wrong", "none"] as const;
