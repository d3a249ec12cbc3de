import { QUESTION } from "../work.mjs";
import { agents } from "./agentchart.mjs";

/** The same by `agent.call`: nobody reads the events. */
export function start(options) {
  const create = agents(options);
  return async () => {
    const agent = create();
    const { text } = await agent.call(QUESTION);
    await agent.close();
    return text;
  };
}
