import { causedBy } from "../../agent/steps.ts";
import { AgentError } from "../../core/base/error.ts";
import type { Handler } from "../define-command.ts";
import { printResult } from "../output.ts";
import { withSession } from "../session-commands.ts";
import { withAgent } from "../with-agent.ts";
import type { compact as definition } from "./definitions.ts";
import { refuseUnloaded } from "./refuse-unloaded.ts";

/** `agentchart sessions compact`. */
export const compactCommand: Handler<typeof definition> = async ({ args: { id: sessionId }, flags }, io) =>
  withSession({ sessionId, flags }, async (store) => {
    if (!(await store.load(sessionId)))
      throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
    return withAgent(flags, io, { store, sessionId }, async (agent) => {
      await refuseUnloaded(agent, { store, sessionId });
      const { instructions } = flags;
      const options = instructions === undefined ? {} : { instructions };
      const { tokensBefore, tokensAfter, from } = await causedBy("operator", () => agent.compact(options));
      const text = `The next prompt has about ${tokensAfter} tokens; before, it had ${tokensBefore}.`;
      printResult(io, flags, text, { sessionId, tokensBefore, tokensAfter, from });
      return 0;
    });
  });
