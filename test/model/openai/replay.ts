import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collect, type Folded } from "../../../src/core/model/fold.ts";
import type { ModelRequest, StreamPart } from "../../../src/core/model/port.ts";
import { userMsg } from "../../../src/core/message/msg.ts";
import { openaiModel, type OpenAIModelOptions } from "../../../src/core/model/openai/index.ts";

const OWN = join(import.meta.dirname, "fixtures");

/** The folder of recorded traffic of real servers: the environment variable WIRE_FIXTURES. */
export const RECORDED = process.env["WIRE_FIXTURES"];

/** The body of a stream as a fixture has it, one chunk a line. */
export function bodyOf(name: string, folder: string = OWN): string {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".json")) return text;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return `${lines.map((line) => `data: ${line}\n\n`).join("")}data: [DONE]\n\n`;
}

export function namesIn(folder: string = OWN): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".chunks.txt") || name.endsWith(".json"));
}

/** A fetch that answers with this body, cut into the given byte sizes (the last one repeats). */
export function fetchOf(
  body: string,
  options: { sizes?: readonly number[]; type?: string } = {},
): typeof fetch {
  const { sizes = [Infinity], type = "text/event-stream" } = options;
  const bytes = new TextEncoder().encode(body);
  return async () => {
    let from = 0;
    let turn = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (from >= bytes.length) return controller.close();
        const size = sizes[Math.min(turn++, sizes.length - 1)] ?? 1;
        controller.enqueue(bytes.subarray(from, (from += Math.max(1, size))));
      },
    });
    return new Response(stream, { headers: { "content-type": type } });
  };
}

export const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [userMsg("Which ports?")],
  tools: [],
  options: {},
  execution: {},
  ...fields,
});

/** What sends the requests of a model. */
export const TRANSPORTS = ["fetch", "openai"] as const;

export const never = (): AbortSignal => new AbortController().signal;

export function modelOf(fetch: typeof globalThis.fetch, options: Partial<OpenAIModelOptions> = {}) {
  return openaiModel({ model: "m-1", baseURL: "https://models.test/v1", fetch, ...options });
}

/** What the model makes of this body. */
export function replay(
  body: string,
  { transport, ...options }: Parameters<typeof fetchOf>[1] & Pick<OpenAIModelOptions, "transport"> = {},
): Promise<Folded> {
  const model = modelOf(fetchOf(body, options), transport && { transport });
  return collect(model, request(), { signal: never() });
}

export async function partsOf(stream: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
