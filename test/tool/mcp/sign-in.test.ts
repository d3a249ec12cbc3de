// Servers that want a sign-in.
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAgent, type Snapshot } from "agentchart";
import { mcp, type McpEvent, type McpOptions } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf } from "../../support/agents.ts";
import { clientKey, GRANT, protectedServer, provider, visit } from "./protected-server.ts";

const WRITE = (id: string) => ({ id, name: "notes__write", input: { text: id } });
type Config = { readonly snapshot?: Snapshot; readonly turns?: Parameters<typeof scriptedModel>[0] };

async function shut(wants?: "everywhere" | "calls") {
  const server = await protectedServer(wants);
  onTestFinished(server.close);
  return server;
}

/** An agent of its own process, as far as a process can be seen from here: it has its own connection. */
async function agentOf(url: string, options: McpOptions, { snapshot, turns }: Config = {}) {
  const server = await mcp({ name: "notes", url, ...options });
  onTestFinished(server.close);
  const model = scriptedModel(turns ?? (snapshot ? ["Done."] : [{ calls: [WRITE("one")] }, "Done."]));
  const agent = createAgent({
    name: "bot",
    model,
    tools: server.tools(),
    ...(snapshot && { sessionOptions: { snapshot } }),
  });
  return { agent, model, server };
}

const pageOf = (reply: {
  readonly pending: readonly { readonly ask?: { readonly url?: string | undefined } | undefined }[];
}) => reply.pending[0]!.ask!.url!;

test("a call that needs a sign-in rests, goes on with the answer in another process, and runs once", async () => {
  const { url, notes, leaked } = await shut();
  const kept = {};
  const options = { auth: provider(kept), headers: { "x-key": "mine" } };
  const { agent } = await agentOf(url, options);
  const reply = await agent.call("go");
  expect(reply).toMatchObject({
    reason: "TOOL_SUSPENDED",
    pending: [
      { callId: "one/sign-in", reason: "Sign in to notes", waitsFor: "answer", ask: { kind: "url" } },
    ],
  });
  const back = await visit(pageOf(reply));
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot())) as Snapshot;
  const other = await agentOf(url, { auth: provider(kept) }, { snapshot });
  await other.agent.decide("one/sign-in", { respond: back.search });
  expect((await other.agent.call()).text).toBe("Done.");
  expect(resultsOf(await other.agent.messages()).map(outputOf)).toEqual(["Wrote one."]);
  expect(notes).toEqual(["one"]);
  expect(JSON.stringify(kept)).toContain("secret-token-");
  expect(JSON.stringify(other.agent.snapshot())).not.toContain("secret-token-");
  expect(leaked).toEqual([]);
});

test.each(["done", true])(
  "the answer %j says that the application has signed in by itself",
  async (respond) => {
    const { url, notes } = await shut();
    const kept = {};
    const { agent } = await agentOf(url, { auth: provider(kept) });
    await agent.call("go");
    const application = await agentOf(url, { auth: provider(kept) });
    const back = await visit(pageOf(await application.agent.call("go")));
    await application.agent.decide("one", { respond: back.search });
    await application.agent.call();
    await agent.decide("one", { respond });
    await agent.call();
    expect(notes).toEqual(["one", "one"]);
  },
);

test("calls that run at once wait for one sign-in, and a revoked token asks again", async () => {
  const { url, notes, revoke } = await shut();
  const turns = [{ calls: [WRITE("one"), WRITE("two")] }, "Done.", { calls: [WRITE("three")] }, "Done."];
  const { agent } = await agentOf(url, { auth: provider() }, { turns });
  const reply = await agent.call("go");
  expect(new Set(reply.pending.map(({ ask }) => ask?.url)).size).toBe(1);
  const back = await visit(pageOf(reply));
  await agent.decide("one", { respond: back.href });
  await agent.decide("two", { respond: back.href });
  expect((await agent.call()).text).toBe("Done.");
  expect(notes.toSorted()).toEqual(["one", "two"]);
  revoke();
  const again = await agent.call("go");
  expect(pageOf(again)).not.toBe(pageOf(reply));
  await agent.decide("three", { respond: (await visit(pageOf(again))).href });
  await agent.call();
  expect(notes).toHaveLength(3);
});

test.each([
  ["the `state` of another sign-in", (back: URL) => back.searchParams.set("state", "other"), /`state`/],
  ["no `state`", (back: URL) => back.searchParams.delete("state"), /`state`/],
  ["another issuer", (back: URL) => back.searchParams.set("iss", "https://evil.example"), /another issuer/],
  ["no issuer", (back: URL) => back.searchParams.delete("iss"), /another issuer/],
  ["an invented code", (back: URL) => back.searchParams.set("code", "guess"), /answered invalid_grant/],
])("a sign-in that comes back with %s fails the call", async (_, change, message) => {
  const { url, notes } = await shut();
  const kept: { tokens?: unknown } = {};
  const { agent } = await agentOf(url, { auth: provider(kept) });
  const back = await visit(pageOf(await agent.call("go")));
  change(back);
  await agent.decide("one", { respond: back.search });
  expect((await agent.call()).text).toBe("Done.");
  const [result] = resultsOf(await agent.messages());
  expect(result).toMatchObject({ state: "error", code: "tool/failed" });
  expect(outputOf(result)).toMatch(message);
  expect(outputOf(result)).not.toMatch(/evil|password/);
  expect(kept.tokens).toBeUndefined();
  expect(notes).toEqual([]);
});

test("a sign-in that is denied or declined fails the call, without the words of the server", async () => {
  const { url, notes, deny } = await shut();
  deny();
  const denied = await agentOf(url, { auth: provider() });
  const back = await visit(pageOf(await denied.agent.call("go")));
  await denied.agent.decide("one", { respond: back.search });
  await denied.agent.call();
  const [result] = resultsOf(await denied.agent.messages());
  expect(outputOf(result)).toContain("the authorization server answered access_denied");
  back.searchParams.set("iss", "https://evil.example");
  const mixed = await agentOf(url, { auth: provider() });
  const page = new URL(pageOf(await mixed.agent.call("go")));
  back.searchParams.set("state", page.searchParams.get("state")!);
  await mixed.agent.decide("one", { respond: back.search });
  await mixed.agent.call();
  const all = JSON.stringify([await denied.agent.messages(), await mixed.agent.messages()]);
  expect(all).toContain("another issuer");
  expect(all).not.toContain("password");
  const declined = await agentOf(url, { auth: provider() });
  await declined.agent.call("go");
  await declined.agent.decide("one", { decline: true });
  await declined.agent.call();
  expect(outputOf(resultsOf(await declined.agent.messages())[0])).toContain("nobody signed in");
  expect(notes).toEqual([]);
});

test("a server that lists its tools only after a sign-in has one tool for it until then", async () => {
  const { url, notes } = await shut("everywhere");
  const turns = [
    { calls: [{ id: "in", name: "notes__sign_in", input: {} }] },
    "Ready.",
    { calls: [WRITE("one")] },
    "Done.",
  ];
  const { agent } = await agentOf(url, { auth: provider() }, { turns });
  expect(agent.toolkit.names()).toEqual(["notes__sign_in"]);
  const reply = await agent.call("go");
  await agent.decide("in", { respond: (await visit(pageOf(reply))).search });
  expect((await agent.call()).text).toBe("Ready.");
  expect((await agent.call("go")).text).toBe("Done.");
  expect(agent.toolkit.names()).toEqual(["notes__write"]);
  expect(notes).toEqual(["one"]);
});

const KEY = clientKey.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
type Machine = (
  expectedIssuer: string,
) => ClientCredentialsProvider | PrivateKeyJwtProvider | CrossAppAccessProvider;

test.each<readonly [string, Machine]>([
  [
    "a secret",
    (expectedIssuer) => new ClientCredentialsProvider({ clientId: "bot", clientSecret: "s", expectedIssuer }),
  ],
  [
    "a key",
    (expectedIssuer) =>
      new PrivateKeyJwtProvider({ clientId: "bot", privateKey: KEY, algorithm: "ES256", expectedIssuer }),
  ],
  [
    "a grant of its enterprise",
    (expectedIssuer) =>
      new CrossAppAccessProvider({
        clientId: "bot",
        clientSecret: "s",
        expectedIssuer,
        assertion: async ({ authorizationServerUrl, resourceUrl }) =>
          authorizationServerUrl.startsWith(expectedIssuer) && resourceUrl.startsWith(expectedIssuer)
            ? GRANT
            : "none",
      }),
  ],
])("a program signs in by %s, without a person", async (_, machine) => {
  const { url, notes } = await shut("everywhere");
  const auth = machine(new URL(url).origin);
  const { agent } = await agentOf(url, { auth });
  expect((await agent.call("go")).text).toBe("Done.");
  expect(auth.tokens()?.access_token).toMatch(/^secret-token-/);
  expect(JSON.stringify(agent.snapshot())).not.toContain("secret-token-");
  expect(notes).toEqual(["one"]);
});

test("a program whose credentials are refused is told so by an error, or the server is left out", async () => {
  const { url } = await shut("everywhere");
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const expectedIssuer = new URL(url).origin;
  const auth = new ClientCredentialsProvider({ clientId: "bot", clientSecret: "wrong", expectedIssuer });
  const message = expect.stringMatching(
    /^The MCP server 'shut' cannot be connected to: .*answered invalid_grant.*Are the credentials of `auth` right\?/,
  ) as string;
  const error: unknown = await mcp({ name: "shut", url, auth }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "tool/failed", message });
  expect(JSON.stringify([String(error), warn.mock.calls])).not.toContain("password");
  const events: McpEvent[] = [];
  const onEvent = (event: McpEvent): void => void events.push(event);
  const server = await mcp({ name: "shut", url, auth, optional: true, onEvent });
  onTestFinished(server.close);
  expect(server.tools()).toEqual([]);
  expect(events).toMatchObject([{ type: "left-out", server: "shut", message }]);
});

test("a server that a person can sign in to is not left out", async () => {
  const { url } = await shut("everywhere");
  const server = await mcp({ name: "notes", url, auth: provider(), optional: true });
  onTestFinished(server.close);
  expect(server.tools().map(({ name }) => name)).toEqual(["notes__sign_in"]);
});

test("a program signs in by a token that it has, and one that does not count is an error", async () => {
  const { url, notes } = await shut("everywhere");
  const credentials = new ClientCredentialsProvider({
    clientId: "bot",
    clientSecret: "s",
    expectedIssuer: new URL(url).origin,
  });
  await agentOf(url, { auth: credentials });
  const token = credentials.tokens()!.access_token;
  const { agent: other } = await agentOf(url, { auth: { token: async () => token } });
  expect((await other.call("go")).text).toBe("Done.");
  expect(notes).toEqual(["one"]);
  await expect(mcp({ name: "shut", url, auth: { token: async () => "old" } })).rejects.toMatchObject({
    code: "tool/failed",
    message: expect.stringMatching(/'shut'.*It needs a sign-in/s) as string,
  });
  await expect(mcp({ command: "x", auth: { token: async () => "" } })).rejects.toMatchObject({
    code: "config/invalid",
  });
});
