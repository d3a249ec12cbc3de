/** The name of the tool that lets the model choose its tool groups. */
export const META_TOOL = "reset_equipped_tools";

/** The name of the tool with which the model loads deferred tools. */
export const SEARCH_TOOL = "search_tools";

/** The name of the tool with which a model returns its structured output. The name is AgentScope's. */
export const OUTPUT_TOOL = "generate_response";

/** The name of the tool with which a model reads a result that it sees in part. */
export const READ_RESULT = "read_result";

/** The names that no tool of a user may have. */
export const RESERVED_NAMES: readonly string[] = [META_TOOL, SEARCH_TOOL, OUTPUT_TOOL, READ_RESULT];
