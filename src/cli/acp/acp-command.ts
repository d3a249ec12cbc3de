import { Readable } from "node:stream";
import type { McpServer } from "@agentclientprotocol/sdk";
import packageJson from "agentchart/package.json" with { type: "json" };
import { AgentError } from "../../core/base/error.ts";
import { missingPackage } from "../../core/base/missing-package.ts";
import type { McpOptions } from "../../kit/mcp/types.ts";
import type { Handler } from "../define-command.ts";
import type { acp as definition } from "../definitions.ts";
import { connectServers, openMcpServers } from "../mcp-servers.ts";
import { withStore } from "../open-store.ts";
import { refuseUnloaded } from "../sessions/refuse-unloaded.ts";
import { openAgent } from "../with-agent.ts";
import { withCleanup } from "../with-cleanup.ts";
import { shutdownSignal } from "../on-signal.ts";
import { acpAgent } from "./acp-agent.ts";

const pairs = (all: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(all.map(({ name, value }) => [name, value]));

/** A server that a client names, as the options of `mcp`. */
function optionsOf(server: McpServer): McpOptions {
  const { name } = server;
  if ("command" in server) {
    const { command, args, env } = server;
    return { name, command, args, env: pairs(env) };
  }
  return { name, url: server.url, headers: pairs(server.headers), transport: server.type };
}

/** `agentchart acp`: an agent for an editor that starts this command, until it closes stdin. */
export const acpCommand: Handler<typeof definition> = async ({ flags }, io) => {
  const sdk = await import("@agentclientprotocol/sdk").catch(
    missingPackage("Serving ACP", "@agentclientprotocol/sdk"),
  );
  const ended = shutdownSignal(io.exit);
  const own = await openMcpServers(flags, io);
  return withCleanup(
    () =>
      withStore(flags.store, async (store) => {
        const { app, close } = acpAgent(sdk, {
          version: packageJson.version,
          open: async (sessionId, servers, isNew) => {
            if (!isNew && !(await store.load(sessionId)))
              throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
            const theirs = await connectServers(servers.map(optionsOf), io.terminal);
            try {
              const tools = [...own.tools, ...theirs.tools];
              const agent = await openAgent({ ...flags, json: false }, io, { store, sessionId }, tools);
              await refuseUnloaded(agent, { store, sessionId });
              await agent.open();
              return { agent, close: () => withCleanup(() => agent.shutdown(), theirs.close) };
            } catch (error) {
              await theirs.close();
              throw error;
            }
          },
        });
        const decoder = new TextDecoder();
        const output = new WritableStream<Uint8Array>({
          write: (bytes) => void io.stdout.write(decoder.decode(bytes, { stream: true })),
        });
        const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
        const connection = app.connect(sdk.ndJsonStream(output, input));
        await Promise.race([ended, connection.closed]);
        connection.close();
        await close();
        return 0;
      }),
    own.close,
  );
};
