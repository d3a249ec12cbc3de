import type { Client } from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import type { MediaBlock, TextBlock } from "../../core/message/types.ts";
import { defineTool } from "../../core/tool/define.ts";
import type { Tool } from "../../core/tool/types.ts";
import type { Connection } from "./connection.ts";
import { withSignIn } from "./with-sign-in.ts";
import { toOutcome } from "./to-outcome.ts";
import { toolName } from "./tool-name.ts";
import type { McpPrompt, McpResource } from "./types.ts";

const MAX_LISTED = 1_000;
const MAX_BYTES = 10_000_000;

/** Returns the resources of a server, at most 1,000. */
export async function listResources(client: Client, timeout: number): Promise<McpResource[]> {
  if (!client.getServerCapabilities()?.resources) return [];
  const { resources } = await client.listResources(undefined, { timeout });
  return resources.slice(0, MAX_LISTED).map(({ uri, name, description, mimeType }) => ({
    uri,
    name,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
  }));
}

/** Returns the prompts of a server, at most 1,000. */
export async function listPrompts(client: Client, timeout: number): Promise<McpPrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const { prompts } = await client.listPrompts(undefined, { timeout });
  return prompts.slice(0, MAX_LISTED).map(({ name, description, arguments: args = [] }) => ({
    name,
    ...(description !== undefined && { description }),
    arguments: args.map((each) => ({ name: each.name, required: each.required === true })),
  }));
}

/** Reads a resource as a model reads it. */
export async function readResource(
  client: Client,
  uri: string,
  options: { readonly timeout: number; readonly maxBytes?: number; readonly signal?: AbortSignal },
): Promise<readonly (TextBlock | MediaBlock)[]> {
  const { timeout, maxBytes = MAX_BYTES, signal } = options;
  const { contents } = await client.readResource({ uri }, { timeout, ...(signal && { signal }) });
  const bytes = Buffer.byteLength(JSON.stringify(contents));
  if (bytes > maxBytes)
    throw new AgentError(
      "tool/failed",
      `The resource ${uri} has ${bytes} bytes; at most ${maxBytes} are read.`,
    );
  return toOutcome({ content: contents.map((resource) => ({ type: "resource", resource })) }).output;
}

/** Two tools with which a model lists and reads the resources of a server. */
export function resourceTools(
  prefix: string,
  connection: Connection,
  list: () => Promise<readonly McpResource[]>,
  read: (uri: string, signal: AbortSignal) => Promise<readonly (TextBlock | MediaBlock)[]>,
): Tool[] {
  return [
    defineTool({
      name: toolName(prefix, "list_resources"),
      description: "Lists the resources that can be read, as JSON.",
      input: { type: "object", properties: {} },
      idempotent: true,
      execute: (_, { resumed }) => withSignIn(connection, resumed, async () => JSON.stringify(await list())),
    }),
    defineTool({
      name: toolName(prefix, "read_resource"),
      description: "Reads a resource.",
      input: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
      idempotent: true,
      execute: (input, { signal, resumed }) =>
        withSignIn(connection, resumed, async () => ({ output: await read(String(input["uri"]), signal) })),
    }),
  ];
}
