/** Says how the program of a page is run: the module that uses what it exports, if it exports something, and what is printed. A text is the reason
 *  why it is not run here. */
export type ProgramStep =
  | string
  | {
      /** A module that uses the program, which is `./page.ts`; default: the program itself. */
      readonly use?: string;
      /** What stands in the place of something that only the reader has. */
      readonly edit?: readonly (readonly [from: string, to: string])[];
      /** The environment of each time that it runs; default: once. */
      readonly runs?: readonly { readonly [name: string]: string }[];
      readonly prints: RegExp;
    };

/** Says how the commands of a page are run, one after the other. */
export type CommandStep = {
  readonly files?: { readonly [name: string]: string };
  /** A module that runs first: what a reader of the page has already. */
  readonly before?: string;
  readonly edit?: readonly (readonly [from: RegExp, to: string])[];
  /** What each command prints, in order. */
  readonly prints: readonly RegExp[];
  /** The commands that are not run here, by how they begin, and why. */
  readonly skip?: { readonly [beginning: string]: string };
};

/** What readers of these pages have: an agent with a tool. */
export const FILES = {
  "desk.ts": `
    import { createAgent, defineTool } from "agentchart";
    import type { SessionStore } from "agentchart/session";
    import { fileStore } from "agentchart/store/file";
    import { scriptedModel } from "agentchart/testing";

    export const refund = defineTool({
      name: "refund",
      description: "Pays back.",
      input: { type: "object", properties: { cents: { type: "number" } }, required: ["cents"] },
      idempotent: true,
      execute: ({ cents }) => "Paid " + String(cents),
    });
    export const TURNS = [{ calls: [{ id: "call_1", name: "refund", input: { cents: 9000 } }] }, "Done."];
    export const config = (turns: Parameters<typeof scriptedModel>[0] = TURNS) => ({
      name: "desk", sysPrompt: "Help.", model: scriptedModel(turns), tools: [refund],
    });
    export const home = () => fileStore({ dir: process.env["HOME"] + "/.agentchart/sessions" });
    export async function stored<S extends SessionStore>(store: S, sessionId: string, turns = TURNS): Promise<S> {
      const agent = createAgent({ ...config(turns), store, sessionId, meta: { agent: "desk" } });
      await agent.call("Refund order 17.");
      await agent.close();
      return store;
    }
  `,
  "agents.ts": `
    import { config } from "./desk.ts";
    export default { desk: () => config() };
  `,
};
const IN_MEMORY = `
  import { memoryStore } from "agentchart/store/memory";
  import { config, stored } from "./desk.ts";
`;

export const PROGRAMS: { readonly [name: string]: ProgramStep } = {
  "docs-ag-ui-1": "a page in a browser: test/server/ag-ui.test.ts has its client",
  "docs-ai-sdk-models-1": {
    edit: [["createAnthropic({", 'createAnthropic({ baseURL: process.env["ANTHROPIC"]!,']],
    prints: /^Hello from Claude\.\n$/,
  },
  "docs-breakpoints-1": {
    use: `
      import { createAgent } from "agentchart";
      import { config } from "./desk.ts";
      import { watchMoney } from "./page.ts";
      const agent = createAgent(config());
      await watchMoney(agent);
      const { reason, pending } = await agent.call("Refund order 17.");
      console.log(reason, pending.map(({ name }) => name).join());
    `,
    prints: /^APPROVAL_REQUIRED refund\n$/,
  },
  "docs-crash-tests-1": {
    use: `
      import { scenario } from "./page.ts";
      console.log(scenario.decide!({ name: "refund" } as never), scenario.decide!({ name: "other" } as never));
    `,
    prints: /^approve undefined\n$/,
  },
  "docs-crash-tests-2": "a sweep takes minutes: test/cli/crashtest.test.ts",
  "docs-deploy-1": "needs Postgres: test/deploy/serverless.test.ts runs it",
  "docs-durable-engines-1": "needs Restate: test/examples/restate.test.ts runs the whole contract",
  "docs-evaluations-1": "matchers of Vitest: test/testing/evals/matchers.test.ts",
  "docs-experiments-1": {
    use: `${IN_MEMORY}
      import { tryPrompt } from "./page.ts";
      await tryPrompt(await stored(memoryStore(), "desk/1"), { ...config(["No."]), model: { ...config(["No."]).model } });
    `,
    prints: /different/,
  },
  "docs-inspect-xstate-1": { prints: /^$/ },
  "docs-inspect-xstate-2": { prints: /^$/ },
  "docs-inspect-xstate-3": { prints: /^http:\/\/127\.0\.0\.1:\d+\/#t=/ },
  "docs-many-runs-1": {
    use: `${IN_MEMORY}
      import { slowTools } from "./page.ts";
      console.log(await slowTools(await stored(memoryStore(), "desk/1")));
    `,
    prints: /^\[\]\n$/,
  },
  "docs-many-runs-2": {
    use: `
      import { execFileSync } from "node:child_process";
      import { config, home, stored } from "./desk.ts";
      import { regression } from "./page.ts";
      const store = await stored(home(), "desk/1");
      execFileSync("npx", ["agentchart", "sessions", "label", "desk/1", "--as", "right"]);
      console.log((await regression(store, () => config())).counts);
    `,
    prints: /passed: 1/,
  },
  "docs-mcp-1": { prints: /^It was .*\[FILE\] page\.ts/s },
  "docs-mcp-2": "needs a server that asks: test/tool/mcp/elicitation.test.ts",
  "docs-mcp-3": "needs a server with a login: test/tool/mcp/sign-in.test.ts",
  "docs-own-models-1": {
    use: `
      import { createAgent } from "agentchart";
      import { shouting } from "./page.ts";
      console.log((await createAgent({ name: "a", model: shouting }).call("hello, you")).text);
    `,
    prints: /^HELLO, YOU\n$/,
  },
  "docs-partitions-1": {
    use: `
      import { dispatcher, worker } from "./page.ts";
      await worker.start();
      await dispatcher.dispatch("s1", "Hi", { agent: "desk" });
      for await (const { type } of dispatcher.subscribe("s1")) if (type === "turn.end") break;
      console.log((await dispatcher.status("s1"))?.phase);
      await worker.close();
      process.exit();
    `,
    prints: /^stopped\n$/,
  },
  "docs-partitions-2": {
    use: `
      import { partitions, store } from "./page.ts";
      console.log((await store.list({})).sessions.length, partitions.length);
      await store.close();
    `,
    prints: /^0 2\n$/,
  },
  "docs-recordings-1": {
    use: `
      import { desk } from "./page.ts";
      console.log((await desk.call("Hello")).text);
    `,
    runs: [{ RECORD: "1" }, {}],
    edit: [['openaiModel({ model: "gpt-5" })', 'openaiModel({ model: "gpt-5", apiKey: "sk-none" })']],
    prints: /^It was Hello\.\nIt was Hello\.\n$/,
  },
  "docs-recordings-2": {
    use: `
      import { createAgent } from "agentchart";
      import { scriptedModel } from "agentchart/testing";
      import { record, replay } from "./page.ts";
      const ask = async (model: ReturnType<typeof record>, text: string) =>
        console.log((await createAgent({ name: "a", model }).call(text)).text);
      await ask(record(scriptedModel(["Sunny."])), "How was 2026-05-01?");
      await ask(replay(), "How was 2027-01-30?");
    `,
    prints: /^Sunny\.\nSunny\.\n$/,
  },
  "docs-replays-1": {
    use: `${IN_MEMORY}
      import { regression } from "./page.ts";
      const store = await stored(memoryStore(), "desk/1");
      await regression(store, config());
      console.log("and with another prompt:");
      await regression(store, { ...config(), sysPrompt: "Be rude." });
    `,
    prints: /^and with another prompt:\ndesk\/1 \[/,
  },
  "docs-rerun-1": {
    use: `${IN_MEMORY}
      import { tryPrompt } from "./page.ts";
      const store = await stored(memoryStore(), "desk/7");
      await tryPrompt(store, config(["It is too old."]), 7);
    `,
    prints: /It is too old\./,
  },
  "docs-rules-1": {
    use: `
      import { defineTool } from "agentchart";
      import { scriptedModel } from "agentchart/testing";
      import { deskOf } from "./page.ts";
      const names = ["verify_customer", "refund", "payout", "send_mail", "read_secret"];
      const tools = names.map((name) => defineTool({ name, description: name, input: { type: "object" }, execute: () => "ok" }));
      const call = { name: "refund", input: { customerId: "c1", cents: 100 } };
      const agent = deskOf(scriptedModel([{ calls: [call] }, "No."]), tools);
      await agent.call("Refund me.");
      console.log((await agent.messages()).flatMap(({ content }) => content).flatMap((block) => block.type === "tool_result" ? [block.state] : []));
    `,
    prints: /^\[ 'denied' \]\n$/,
  },
  "docs-rules-proved-1": {
    use: `
      import { never } from "agentchart/rules";
      import { config } from "./desk.ts";
      import { prove } from "./page.ts";
      await prove({ ...config(), rules: [never("refund").after("refund")] });
      process.exit();
    `,
    prints: /^holds /,
  },
  "docs-suspicions-1": {
    use: `
      import { fileStore } from "agentchart/store/file";
      import { stored } from "./desk.ts";
      const again = { calls: [{ name: "refund", input: { cents: 1 } }] };
      await stored(fileStore({ dir: "./sessions" }), "trip", [again, again, again, "Done."] as never);
      await import("./page.ts");
    `,
    prints: /^repeated-call at step \d+: /m,
  },
  "docs-suspicions-2": {
    use: `
      import { findSuspicions } from "agentchart/inspect";
      import { home, stored } from "./desk.ts";
      import { largeRefund } from "./page.ts";
      const store = await stored(home(), "trip", [{ calls: [{ id: "c", name: "refund", input: { cents: 200_000 } }] }, "Done."]);
      for (const { text } of await findSuspicions(store, "trip", { suspicions: [largeRefund] })) console.log(text);
    `,
    prints: /^The call c refunds more than 1,000\.$/m,
  },
  "docs-ui-1": "a page in a browser: test/server/chat.test.ts has its client",
  "docs-ui-2": "a page in a browser: test/server/chat.test.ts has its client",
  "docs-ui-3": "a page in a browser: test/e2e/chat-pages.test.ts has one",
  "docs-ui-4": "needs a page with tools: test/server/client-tools.test.ts",
  "docs-workers-1": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
  "docs-workers-2": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
};

const LAST_ID =
  "$(node -e 'console.log(JSON.parse(require(`fs`).readFileSync(`ada.ndjson`, `utf8`).split(`\\n`)[0]).id)')";

/** The blocks of commands, by the page and which one of the page it is. A text is the reason why one is not run here. */
export const COMMANDS: { readonly [block: string]: string | CommandStep } = {
  "docs/breakpoints.md 1": {
    files: {
      "breakpoints.json": '[{ "tool": "refund", "where": [{ "path": "cents", "is": ">", "value": 5000 }] }]',
    },
    before: `import { home, stored } from "./desk.ts"; await stored(home(), "desk/1");`,
    prints: [/desk\/1[^]*refund/],
  },
  "docs/crash-tests.md 1": {
    edit: [[/ 17\."$/, ' 17." --at kill:append:5:before']], // a whole sweep takes minutes: test/cli/crashtest.test.ts
    prints: [/"state":"sound"/, /"state":"sound"/],
  },
  "docs/deploy.md 1": "needs root and systemd: test/deploy/manifests.test.ts reads the units",
  "docs/deploy.md 2": "needs a container engine: test/deploy/image.test.ts runs the steps",
  "docs/durable-engines.md 1": "needs Restate: test/examples/restate.test.ts",
  "docs/evaluations.md 1": {
    files: {
      "refunds.ts": `
        import { reply } from "agentchart/evals";
        import { scriptedModel } from "agentchart/testing";
        export default {
          name: "refunds",
          agent: () => ({ name: "desk", model: scriptedModel(["Paid."]) }),
          cases: [{ name: "one", input: "Refund order 17.", expected: "Paid." }],
          judge: reply.contains(),
        };
      `,
    },
    edit: [
      [/(.*--compare)/, "cp report.json main.json && $1"],
      [/ && npx agentchart inspect.*/, ""],
    ],
    prints: [/5/, /1/, /1/],
  },
  "docs/experiments.md 1": {
    files: { "next.ts": `import { config } from "./desk.ts"; export default { desk: () => config() };` },
    before: `
      import { sqliteStore } from "agentchart/store/sqlite";
      import { stored } from "./desk.ts";
      await (await stored(sqliteStore({ path: "sessions.db" }), "desk/1")).close();
    `,
    edit: [[/postgres:\/\/db\/agents/, "sqlite:sessions.db"]],
    prints: [/./, /./],
  },
  "docs/guide/getting-started.md 1": "builds the package: its tarball is what this test installs",
  "docs/guide/getting-started.md 2": "test/project/packed.test.ts runs the same commands of the README",
  "docs/guide/getting-started.md 3": "test/project/packed.test.ts runs it with a provider",
  "docs/guide/getting-started.md 4": { prints: [/^ok +node/m] },
  "docs/knowledge.md 1": {
    files: { "manuals/faq.md": "# Refunds\n\nA refund takes five days.\n" },
    skip: { "npx agentchart knowledge add manuals --store vectors.db": "needs an embedder of a provider" },
    prints: [/faq\.md|1/, /five days/, /manuals\/faq\.md/, /./],
  },
  "docs/many-runs.md 1": {
    before: `import { home, stored } from "./desk.ts"; await stored(home(), "refund-17");`,
    prints: [/desk|refund/, /"runs"/],
  },
  "docs/many-runs.md 2": {
    before: `import { home, stored } from "./desk.ts"; await stored(home(), "refund-17");`,
    prints: [/refund-17/, /It paid twice\./],
  },
  "docs/many-runs.md 3": {
    before: `import { home, stored } from "./desk.ts"; await stored(home(), "refund-17");`,
    prints: [/refund-17\.test\.ts/],
  },
  "docs/mcp.md 1": {
    files: {
      ".mcp.json":
        '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }',
    },
    edit: [
      [
        /(--mcp-config .*)/,
        "$1 --mcp-trust $(npx agentchart run hi $1 2>&1 | grep -o '[0-9a-f]\\{12,64\\}' | head -1)",
      ],
    ],
    skip: { 'npx agentchart run "Book a room': "needs a server over HTTP: test/cli/mcp-command.test.ts" },
    prints: [/It was [^]*desk\.ts/, /It was [^]*desk\.ts/],
  },
  "docs/mcp-server.md 1": "run until their host ends them: test/cli/mcp.test.ts",
  "docs/memory.md 1": {
    before: `
      import { sqliteMemory } from "agentchart/memory";
      const store = sqliteMemory({ path: "memory.db" });
      await store.put("acme/ada", [{ text: "The user lives in Oslo." }]);
      await store.close();
    `,
    edit: [[/ID/, LAST_ID]],
    prints: [/Oslo/, /^$/, /./, /Oslo/, /./, /./],
  },
  "docs/observability.md 1": "needs a collector: test/cli/otel.test.ts has one",
  "docs/operate.md 1": "needs Postgres: test/deploy/backup.test.ts runs it",
  "docs/operate.md 2": "needs Postgres: test/deploy/backup.test.ts runs it",
  "docs/partitions.md 1": {
    files: {
      "partitions.json": `[
        { "store": "sqlite:low.db", "upTo": "7fffffff" },
        { "store": "sqlite:high.db", "upTo": "ffffffff", "movesFrom": "sqlite:low.db" }
      ]`,
    },
    before: `
      import { fileStore } from "agentchart/store/file";
      import { sqliteStore } from "agentchart/store/sqlite";
      import { stored } from "./desk.ts";
      for (const id of ["a", "b", "c", "d", "e", "f"]) await stored(sqliteStore({ path: "low.db" }), id);
      await stored(fileStore({ dir: "sessions" }), "other");
    `,
    edit: [[/partitions\.json/, "partitions.json --settle 1s"]],
    prints: [/"moved":[1-6]/, /"removed":[1-6]/, /"moved":1/],
  },
  "docs/rerun.md 1": {
    files: {
      "changes.json": '{ "system": "Refund only orders of this year." }',
      "tools.ts": `import { refund } from "./desk.ts"; export default [refund];`,
    },
    before: `import { home, stored } from "./desk.ts"; await stored(home(), "trip");`,
    prints: [/trip|[0-9a-f-]{8}/],
  },
  "docs/schedules.md 1": {
    edit: [[/$/, " --store sqlite:sessions.db --queue memory"]],
    prints: [/morning/, /morning/, /T\d\d:00:00/, /paused/],
  },
  "docs/suspicions.md 1": {
    files: { "checks.ts": "docs-suspicions-2" },
    before: `
      import { home, stored } from "./desk.ts";
      await stored(home(), "trip", [{ calls: [{ id: "c", name: "refund", input: { cents: 200_000 } }] }, "Done."]);
    `,
    skip: { "npx agentchart inspect": "runs until Ctrl-C" },
    prints: [/refunds more than 1,000/],
  },
  "docs/workers.md 1": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
  "docs/workers.md 2": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
  "docs/workers.md 3": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
  "docs/workers.md 4": "needs Postgres: test/cli/docs-workers.test.ts runs the page",
};
