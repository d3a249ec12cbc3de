import { AgentError, createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

const LONG = "a-name-that-somebody-made-longer-and-longer-until-no-column-could-hold-it";
const CHINESE = "请检查这张发票并告诉我客户应该支付多少钱以及截止日期是哪一天。";

/** Long names, Chinese, a result of a megabyte, and an error of many lines: what is hard to draw. */
export async function hardToDraw(place: Place): Promise<Agent> {
  const read = defineTool({
    name: `read_${LONG.replaceAll("-", "_").slice(0, 50)}`,
    description: "Reads.",
    input: z.object({ question: z.string() }),
    execute: () =>
      JSON.stringify({
        rows: Array.from({ length: 20_000 }, (_, row) => ({ row, text: CHINESE.slice(0, 9) })),
      }),
  });
  const agent = createAgent({
    ...at(place, `hard-${LONG}`),
    name: `${LONG}-${CHINESE.slice(0, 10)}`,
    model: scriptedModel([
      {
        thinking: CHINESE,
        text: CHINESE,
        calls: [{ id: "read", name: read.name, input: { question: CHINESE.repeat(4) } }],
      },
      {
        error: new AgentError(
          "model/bad-request",
          `${"The request of the deployment was refused because its context is not what it should be. ".repeat(4)}${LONG}\n${CHINESE}`,
        ),
      },
    ]),
    tools: [read],
  });
  await agent.call(`${CHINESE} ${LONG}`).catch(() => {});
  return agent;
}
