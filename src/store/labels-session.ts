/** The id of the session that holds what people say about the sessions of a store. It is not pruned. */
export const LABELS_SESSION = "agentchart.labels";

/** The judgements of people. `none` withdraws what the same session was said to be. */
export const LABELS = ["right", "wrong", "none"] as const;
