import { AgentError } from "../../core/base/error.ts";
import { readPosition } from "../../store/shared.ts";
import type { SessionStore } from "../../store/port.ts";
import { exportSession } from "../../store/transfer.ts";

/** The imports of a test: their names, and where they are from. */
const IMPORTS = [
  ["replayOf", "agentchart/evals"],
  ["importSession", "agentchart/session"],
  ["memoryStore", "agentchart/store/memory"],
  ["expect, test", "vitest"],
]
  .map(([names, from]) => `import { ${names} } from "${from}";`)
  .join("\n");

/** Options of {@link testOfSession}. */
export type SessionTestOptions = {
  /** The file that exports the agents, as the test imports it. Default "./agents.ts". */
  readonly agents?: string | undefined;
  /** True if values of keys that are named like secrets may be in the test. Default false. */
  readonly secrets?: boolean | undefined;
};

/**
 * Returns a file for Vitest that runs a session again. It says what was said, gives models and tools what is recorded, and fails where the agent
 * does otherwise. Rejects `session/not-found`, `session/damaged`, and `session/redacted` for a session with secrets, which a test must not have.
 */
export async function testOfSession(
  store: SessionStore,
  sessionId: string,
  { agents = "./agents.ts", secrets = false }: SessionTestOptions = {},
): Promise<string> {
  const found = await store.load(sessionId);
  if (!found) throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
  const lines: string[] = [];
  for await (const line of exportSession(store, sessionId, { secrets })) lines.push(line);
  const last = JSON.parse(lines.at(-1)!) as { readonly end?: { readonly redacted?: boolean } };
  if (last.end?.redacted)
    throw new AgentError(
      "session/redacted",
      `The session '${sessionId}' has values whose keys are named like secrets, which a test must not have.`,
    );
  const { agent, title, meta = {} } = readPosition(found.position);
  const name = meta["agent"] ?? agent ?? "agent";
  const recorded = lines.map((line) => `  ${JSON.stringify(line)},\n`).join("");
  return `// Says again what was said in a recorded session, with its answers and results, and fails where the agent does otherwise.
${IMPORTS}
import agents from ${JSON.stringify(agents)};

test(${JSON.stringify(title ?? sessionId)}, async () => {
  const store = memoryStore();
  const sessionId = await importSession(store, RECORDED);
  const { divergences, stopped, agent } = await replayOf(store, sessionId, { agent: agents[${JSON.stringify(name)}] });
  expect({ divergences, stopped, agent }).toEqual({ divergences: [], stopped: undefined, agent: [] });
});

/** The session, as "agentchart sessions export" writes it. */
const RECORDED = [
${recorded}];
`;
}
