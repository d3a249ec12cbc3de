import { expect, test, vi } from "vitest";
import { mcp } from "agentchart/mcp";

vi.mock("@modelcontextprotocol/client", () => {
  throw new Error("Cannot find package");
});

test("without the client's package, the error says what to install, for an optional server too", async () => {
  for (const optional of [false, true])
    await expect(mcp({ command: "none", optional })).rejects.toMatchObject({
      code: "config/invalid",
      message: "mcp needs the package @modelcontextprotocol/client: npm install @modelcontextprotocol/client",
    });
});
