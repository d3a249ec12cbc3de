import { isObject } from "../../core/base/json.ts";
import { defineTool } from "../../core/tool/define.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Resumed, Suspension, Tool } from "../../core/tool/types.ts";
import type { Connection } from "./connection.ts";
import { isUnauthorized } from "./sign-in.ts";

const ASK_ID = "sign-in";

/** The state that a call remembers that waits for a sign-in: the mark by which its answer is known, and what the call went on with before. */
type Waiting = { readonly signIn: string; readonly before: Resumed | null };

const isWaiting = (state: unknown): state is Waiting =>
  isObject(state) && typeof state["signIn"] === "string" && "before" in state;

/** Runs a call, and rests when its server wants a sign-in: the call goes on, in any process, with the answer of the person. */
export async function withSignIn<T>(
  connection: Connection,
  resumed: Resumed | undefined,
  run: (resumed: Resumed | undefined) => Promise<T>,
): Promise<T | Suspension> {
  const waited = isWaiting(resumed?.state) ? resumed.state : undefined;
  const before = waited ? (waited.before ?? undefined) : resumed;
  try {
    if (waited) await connection.finishSignIn(waited.signIn, resumed?.answers[ASK_ID]);
    return await run(before);
  } catch (error) {
    const page = connection.signInPage;
    if (!isUnauthorized(error) || !page) throw error;
    const reason = `Sign in to ${connection.label}`;
    const asks = [{ id: ASK_ID, kind: "url", message: reason, url: page.url } as const];
    const state: Waiting = { signIn: page.state, before: before ?? null };
    return suspend(reason, { then: "resume", state: state as never, asks });
  }
}

/** The one tool of a server that lists its tools only to those who are signed in. */
export function signInTool(name: string, connection: Connection, start: () => Promise<void>): Tool {
  return defineTool({
    name,
    description: `Signs in to the MCP server '${connection.label}', whose tools can be used in the next turn.`,
    input: { type: "object", properties: {} },
    idempotent: true,
    execute: (_, { resumed }) =>
      withSignIn(connection, resumed, async () => {
        await start();
        return "Signed in.";
      }),
  });
}
