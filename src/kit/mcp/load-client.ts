import { AgentError } from "../../core/base/error.ts";

const PACKAGE = "@modelcontextprotocol/client";

/** Imports the optional package, when a server is first wanted. Throws `config/invalid` if it is not installed. */
export async function loadClient() {
  try {
    const [root, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
    ]);
    return { ...root, StdioClientTransport, getDefaultEnvironment };
  } catch (cause) {
    throw new AgentError("config/invalid", `mcp needs the package ${PACKAGE}: npm install ${PACKAGE}`, {
      cause,
    });
  }
}

/** The part of the package that is used. */
export type Loaded = Awaited<ReturnType<typeof loadClient>>;
