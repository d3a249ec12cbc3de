import type { Block, JsonObject } from "agentchart";
import { fanOut, pipeline, sequence } from "agentchart/team";
import type { Handle } from "./handle.ts";
import { normal, toMsg } from "./messages.ts";
import type { InputMsg, NormalMsg } from "./shapes.ts";

type PipelineSpec = {
  readonly type: "sequential" | "fanout";
  readonly agents: readonly Handle[];
  readonly input: InputMsg;
  readonly schema?: JsonObject;
  readonly parallel: boolean;
};

/** Runs a pipeline of the suite: one message for a sequence, a list for a fan-out. */
export async function runPipeline(spec: PipelineSpec): Promise<NormalMsg | NormalMsg[]> {
  const agents = spec.agents.map(({ agent }) => agent);
  const steps =
    spec.type === "sequential"
      ? sequence(...agents)
      : fanOut(agents, spec.parallel ? {} : { concurrency: 1 });
  const reply = await pipeline({ name: "pipeline", steps }).call(
    toMsg(spec.input),
    spec.schema && { output: spec.schema },
  );
  const replies = reply.metadata?.["replies"] as unknown as readonly { name: string; content: Block[] }[];
  const messages = replies.map(({ name, content }) =>
    normal({ ...reply, name, content }, { structured: reply.output ?? null }),
  );
  return spec.type === "sequential" ? messages.at(-1)! : messages;
}
