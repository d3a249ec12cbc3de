/** A server of models, or an interface of one, whose rules are known. `plain` stands for all others. */
export type DialectName =
  | "openai"
  | "azure"
  | "mistral"
  | "deepseek"
  | "moonshot"
  | "dashscope"
  | "groq"
  | "xai"
  | "anthropic"
  | "bedrock"
  | "gemini"
  | "vllm"
  | "ollama"
  | "llama.cpp"
  | "lmstudio"
  | "openrouter"
  | "openrouter/mistral"
  | "cerebras"
  | "perplexity"
  | "plain";

/** The rule for the id of a tool call. An id that does not fit is replaced by one that is made of it, the same one each time. */
export type IdRule = {
  /** `word`: letters, digits, "_" and "-". */
  readonly form: "any" | "word" | "alphanumeric";
  /** The most characters; absent: no limit is known. */
  readonly most?: number;
  /** The only length. */
  readonly exactly?: number;
};

/** The rules for the order of messages. Where one may not, a short bridging message of the other role is put between. */
export type OrderRule = {
  /** A message of the user directly after results. */
  readonly userAfterResults: boolean;
  /** An answer at the end, or directly after another answer. */
  readonly answerAtEnd: boolean;
  /** An answer as the first message beside the system message. */
  readonly answerAtStart: boolean;
  /** Texts and answers without a character. */
  readonly emptyTexts: boolean;
};

/** The rule for a schema of arguments. For all hosts it is an object at the top, without unions, with `properties`. */
export type SchemaRule = {
  /** Each schema in it has a type, and none refers to another; of what combines schemas, only `anyOf` is there. */
  readonly isTyped: boolean;
  /** Values of `enum` are strings. */
  readonly hasStringEnums: boolean;
  /** Regular expressions and long limits of lengths are kept. */
  readonly hasPatterns: boolean;
  /** The pattern that the names of arguments match; absent: no rule is known. */
  readonly keys?: RegExp;
};

/** The rule for the tools that are offered to a model. */
export type ToolRule = {
  /** The most tools of a request; absent: no limit is known. */
  readonly most?: number;
  /** The pattern that names match. */
  readonly names: RegExp;
  /** The most characters of a description; longer ones are cut. Absent: no limit is known. */
  readonly description?: number;
  /** Whether a request may say which tool is to be called; else it says only that one is. */
  readonly hasNamedChoice: boolean;
};

/** The rule by which thinking is sent back. */
export type ThinkingRule = {
  /** See {@link ChatDialect}. */
  readonly isSent: boolean;
  readonly field: "reasoning_content" | "reasoning" | "content";
  /** Whether each answer with calls must have some: one of another provider gets a space. */
  readonly isNeeded: boolean;
};

/** The rules of one host. */
export type HostRules = {
  /** The names of its servers on the internet; absent: it is recognised only by the option `dialect`. */
  readonly servers?: RegExp;
  /** The names that the AI SDK has for its provider. */
  readonly providers?: readonly string[];
  readonly ids: IdRule;
  readonly order: OrderRule;
  readonly schema: SchemaRule;
  readonly tools: ToolRule;
  readonly thinking: ThinkingRule;
};
