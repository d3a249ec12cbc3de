import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";

// #region catch
import { AgentError } from "agentchart";

const model = scriptedModel([{ error: new AgentError("model/auth", "The key is not valid.") }]);
const agent = createAgent({ name: "desk", model });
try {
  await agent.call("Hello");
} catch (error) {
  if (!AgentError.is(error)) throw error;
  console.log(error.code, error.isRetryable, error.message);
}
// #endregion
