import { missingPackage } from "../../core/base/missing-package.ts";

/** Imports the optional package, when a server is first wanted. Throws `config/invalid` if it is not installed. */
export async function loadClient() {
  const [root, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]).catch(missingPackage("mcp", "@modelcontextprotocol/client"));
  return { ...root, StdioClientTransport, getDefaultEnvironment };
}

/** The part of the package that is used. */
export type Loaded = Awaited<ReturnType<typeof loadClient>>;
