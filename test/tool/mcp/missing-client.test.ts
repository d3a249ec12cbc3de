// The package without its optional client.
import { expect, onTestFinished, test, vi } from "vitest";
import { freshModules } from "../../support/fresh-modules.ts";

test("without the client's package, the error says what to install, for an optional server too", async () => {
  freshModules();
  vi.doMock("@modelcontextprotocol/client", () => {
    throw new Error("Cannot find package");
  });
  onTestFinished(() => {
    vi.doUnmock("@modelcontextprotocol/client");
  });
  const { mcp } = await import("agentchart/mcp");
  for (const optional of [false, true])
    await expect(mcp({ command: "none", optional })).rejects.toMatchObject({
      code: "config/invalid",
      message: "mcp needs the package @modelcontextprotocol/client: npm install @modelcontextprotocol/client",
    });
});
