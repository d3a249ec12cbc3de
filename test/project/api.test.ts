// The names that each entry of the package exports.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: { readonly [subpath: string]: unknown };
};
const namesOf = async (subpath: string): Promise<string> =>
  Object.keys((await import(subpath)) as object)
    .toSorted()
    .join(" ");

test("the names each subpath exports", async () => {
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== "./package.json");
  const lines: string[] = [];
  for (const subpath of subpaths)
    lines.push(`${subpath}: ${await namesOf(subpath.replace(".", "agentchart"))}`);
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    ".: AgentError REASONS accountLines assistantMsg createAgent createToolkit defineAgent defineHook defineSlot defineTool ranInput redactSecrets sourcesOf suspend systemMsg textOf toolError toolResultMsg toolResultsOf toolUsesOf toolsFrom userMsg
    ./openai: dashscopeModel openaiEmbedder openaiModel toChatMessages toChatRequest
    ./ai-sdk: aiSdkEmbedder aiSdkModel
    ./plan: planHistorySlot planNotebook planSlot todoHint todoSlot todoTool
    ./skills: loadedSlot skillWarningsSlot skills workspaceContext
    ./team: agentLogic agentTool askUser branch codeModel createUserAgent fanOut openHub pipeline repeat sequence terminalAsk
    ./workspace: PROTECTED_PATHS agentScopeTools codingPermissions codingTools contentHash filesSlot folderWorkspace judgeCommand memoryWorkspace
    ./memory: longTermMemory memoryMemory postgresMemory sqliteMemory
    ./knowledge: ingest knowledge memoryKnowledge passageId postgresKnowledge readDocument split sqliteKnowledge
    ./mcp: mcp
    ./otel: otelObserver traceKnowledge traceMemory
    ./check: bypassRun checkRules
    ./rules: anyOf approvedBy atMost auditSession before inTurn never onlyIf rulesOfDogwood shadow sum withRules within
    ./ui: readChatRequest readRunInput sendAnswers toAgUiEvents toUIMessageChunks toUIMessages
    ./react: SessionError useAgent
    ./testing: EMULATED_HOSTS chatCompletionsServer crashTest emulateHost hashingEmbedder hostRefusal knowledgeContract memoryContract modelContract queueContract recordModel replayModel scriptedModel storeContract workspaceContract
    ./evals: addLabel asked atMost by casesOfCsv casesOfJsonLines casesOfLabels casesOfSessions chatsOf compareEvals evaluate experiment importChat junitOf labelsOf matchers notSuspicious obeys path readReport replayOf reply rubric runOf tryRelease used usedInOrder
    ./machines: agentMachine chartJson chartMermaid chartXState sessionMachine
    ./session: deleteSession exportSession importSession openSession sessionManager
    ./store/memory: memoryStore
    ./store/file: fileStore
    ./store/sqlite: sqliteStore
    ./store/postgres: postgresStore
    ./store/partitioned: finishMove movePartitions partitionHash partitionedStore
    ./inspect: SUSPICIONS breakpoints findBreaks findSuspicions inspector overviewOf startHub
    ./inspect/browser: inspector
    ./worker: backgroundAgents backgroundTasksSlot bullQueue createDispatcher createSchedules createWorker inProcessQueue
    ./server: createServer readTokens serve"
  `);
});
