/** Options by the words of other libraries: AI SDK, LangChain, LangGraph, Mastra, OpenAI Agents and AgentScope. The first that
 *  is known at a place is meant there. */
const WORDS: { readonly [words: string]: readonly string[] } = {
  // agents
  "instructions system prompt systemPrompt systemMessage stateModifier messageModifier": ["sysPrompt"],
  "maxSteps maxTurns maxIterations recursionLimit stopWhen": ["maxIters"],
  "llm languageModel modelName modelId": ["model"],
  agentName: ["name"],
  functions: ["tools"],
  "checkpointer checkpointSaver session storage": ["store"],
  "threadId conversationId chatId resourceId": ["sessionId"],
  "metadata tags": ["meta"],
  "history initialMessages": ["messages"],
  "middleware processors inputProcessors outputProcessors callbacks guardrails inputGuardrails outputGuardrails onFinish onStepFinish prepareStep":
    ["hooks"],
  "modelSettings callSettings defaultOptions temperature maxOutputTokens providerOptions toolChoice": [
    "generateOptions",
  ],
  "fallbacks fallback": ["modelOptions.fallbackModel"],
  "maxRetries retries retry": ["maxAttempts", "modelOptions.execution"],
  "interruptOn toolApproval": ["permissions"],
  "parallelism parallelTools": ["parallelToolCalls"],
  "runtimeContext requestContext contextVariables deps state": ["context"],
  "telemetry tracing": ["otel"],
  memory: ["contextWindow", "modelOptions.contextWindow"],
  // tools
  "parameters inputSchema argsSchema args schema paramsSchema": ["input"],
  "handler func fn run invoke call": ["execute"],
  desc: ["description"],
  "id title": ["name"],
  "needsApproval requireApproval requiresApproval": ["permission"],
  "timeout timeoutMs": ["execution", "timeoutMs"],
  // models
  "baseUrl url endpoint host": ["baseURL"],
  "key token accessToken": ["apiKey"],
  "maxCompletionTokens maxNewTokens": ["maxTokens"],
  "stop stopSequences": ["stopSequences", "stop"],
};

/** The instructions for the option of another library, at places that know the option that is named first. */
const WAYS: { readonly [words: string]: readonly [at: string, way: string] } = {
  "output outputType responseFormat structuredOutput": ["sysPrompt", "give `output` to `call`"],
  "agents subagents": ["sysPrompt", "give an agentTool() of agentchart/team for each in `tools`"],
  mcpServers: ["sysPrompt", "give the tools() of mcp() of agentchart/mcp in `tools`"],
  outputSchema: ["execute", "what `execute` returns is not checked"],
};

const plain = (name: string): string => name.replaceAll(/[_-]/gu, "").toLowerCase();

const has = (words: string, sought: string): boolean =>
  words.split(" ").some((word) => plain(word) === sought);

/** Returns the known name that a word of another library stands for; undefined if there is none. Underscores and other capitals make no
 *  difference. */
export function translated(word: string, known: readonly string[]): string | undefined {
  const sought = plain(word);
  const same = known.find((name) => plain(name) === sought);
  if (same !== undefined) return same;
  const meant = Object.entries(WORDS).flatMap(([words, names]) => (has(words, sought) ? names : []));
  return meant.find((name) => known.includes(name));
}

/** Returns what to do instead of giving an option of another library; undefined if that is not known. */
export function otherWay(word: string, known: readonly string[]): string | undefined {
  const sought = plain(word);
  const [, found] = Object.entries(WAYS).find(([words]) => has(words, sought)) ?? [];
  return found && known.includes(found[0]) ? found[1] : undefined;
}
