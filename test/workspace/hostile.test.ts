// A sandbox shows nothing of its machine.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { outcome } from "../../src/testing/workspace-contract-kit.ts";
import { NO_BUBBLEWRAP } from "../support/bubblewrap.ts";
import { freePort } from "../support/free-port.ts";
import { folderUnderTest } from "./folder.ts";
import { coder } from "./coder.ts";

async function sandbox(
  options: Parameters<typeof folderUnderTest>[0] = {},
  prepare?: (root: string) => void,
) {
  const under = await folderUnderTest(options, prepare);
  onTestFinished(async () => {
    await under.workspace.close();
    await under.dispose();
  });
  return under;
}

describe.skipIf(NO_BUBBLEWRAP)(`a sandbox${NO_BUBBLEWRAP ? ` (${NO_BUBBLEWRAP})` : ""}`, () => {
  test("shows nothing of this process, of its user and of the machine's secrets", async () => {
    const under = await sandbox();
    const name = "AGENTCHART_HOSTILE_SECRET";
    process.env[name] = "hidden";
    onTestFinished(() => void Reflect.deleteProperty(process.env, name));
    const { stdout } = await outcome(
      under,
      `cat /proc/1/environ /proc/*/environ | tr '\\0' '\\n'; env; ls -a $HOME; ls /proc | grep -c '^[0-9]'
       for f in /etc/shadow /etc/gshadow /etc/ssh /etc/ssl/private/* ~root/.ssh ~root/.npmrc ${under.outside}/secret /var /root /home; do
         [ -e "$f" ] && echo "there: $f"; done; true`,
    );
    expect(stdout).not.toContain("hidden");
    expect(stdout).not.toContain("there: ");
    const processes = Number(/^\d+$/mu.exec(stdout)![0]);
    expect(processes).toBeLessThan(10);
  });

  test("writes nothing but the workspace and a /tmp of its own, and configures no git", async () => {
    const { root, ...under } = await sandbox({}, (folder) => {
      mkdirSync(join(folder, ".git/hooks"), { recursive: true });
      writeFileSync(join(folder, ".git/config"), "[core]\n");
      writeFileSync(join(folder, ".env"), "SECRET=1\n");
    });
    const places = [
      "/usr/x",
      "/etc/x",
      "/x",
      `${under.outside}/x`,
      ".git/config",
      ".git/hooks/post-checkout",
      ".env",
    ];
    const { stdout } = await outcome(
      under,
      `for f in ${places.join(" ")}; do (echo x >> $f) 2>/dev/null && echo "wrote $f"; done
       rm -rf .git/config .git/hooks .env 2>/dev/null; mv .git/hooks h 2>/dev/null && echo moved; mv .git g 2>/dev/null && echo moved
       mv .env e 2>/dev/null && echo moved
       echo x > .git/index; echo x > /tmp/x; echo x > ok; echo end`,
    );
    // what is written beside the root is in a directory that is only in the sandbox
    expect(stdout.replace(/wrote \/x\n|wrote \/etc\/x\n/gu, "")).toBe("end\n");
    expect([
      existsSync("/x"),
      existsSync("/etc/x"),
      existsSync(join(under.outside, "x")),
      existsSync("/tmp/x"),
    ]).toEqual([false, false, false, false]);
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("[core]\n");
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("SECRET=1\n");
    expect(readFileSync(join(root, "ok"), "utf8")).toBe("x\n");
  });

  test("a link in the place of what is protected shows nothing of the machine", async () => {
    const under = await sandbox({}, (folder) => {
      mkdirSync(join(folder, ".git"));
      for (const name of [".env", ".git/config"])
        symlinkSync(join(folder, "../outside/secret"), join(folder, name));
    });
    const line =
      "cat .env .git/config; ls -d .git/hooks; (echo x > .git/hooks/x) 2>/dev/null && echo planted";
    expect((await outcome(under, `${line}; git init -q . ; true`)).stdout).toBe(".git/hooks\n");
  });

  test("reaches no network, unless it is allowed", async () => {
    const server = createServer((socket) => socket.end("reached\n"));
    const port = await freePort();
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const script = `node -e 'require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code)).pipe(process.stdout)'`;
    expect((await outcome(await sandbox(), script)).stdout).toBe("ECONNREFUSED\n");
    expect((await outcome(await sandbox({ network: true }), script)).stdout).toBe("reached\n");
  });

  test("a link that a command makes does not lead the tools out of the workspace", async () => {
    const under = await sandbox();
    const { texts } = coder(under.workspace);
    const said = await texts(
      [
        "run_command",
        { command: `ln -s ${under.outside} out; ln -s ${under.outside}/secret s; ln -s / root; echo made` },
      ],
      ["read_file", { path: "out/secret" }],
      ["read_file", { path: "s" }],
      ["read_file", { path: "root/etc/passwd" }],
      ["write_file", { path: "out/planted", content: "x" }],
      ["glob_files", { pattern: "**" }],
      ["grep_files", { pattern: "theirs" }],
    );
    expect(said[0]).toContain("made");
    for (const text of said.slice(1, 5))
      expect(text).toMatch(/^Error: .* leads out of the workspace by a link\.$/u);
    expect(said.slice(5)).toEqual(["[Nothing was found.]", "[Nothing was found.]"]);
    expect(existsSync(join(under.outside, "planted"))).toBe(false);
  });

  test("a pager of git runs in the sandbox only, and a FIFO does not hang the tools", async () => {
    const under = await sandbox();
    const { texts } = coder(under.workspace);
    const said = await texts(
      [
        "run_command",
        {
          command: `git init -q . && git -c core.pager='touch ${under.outside}/x; echo paged' -p log; mkfifo pipe`,
        },
      ],
      ["read_file", { path: "pipe" }],
      ["write_file", { path: "pipe", content: "x" }],
      ["grep_files", { pattern: "x" }],
    );
    expect(said[1]).toMatch(/^Error: /u);
    expect(said[2]).toMatch(/^Error: /u);
    expect(said[3]).toMatch(/\n|\[Nothing/u);
    expect(existsSync(join(under.outside, "x"))).toBe(false);
  });

  test("a flood of processes ends the command, and none is left", async () => {
    const under = await sandbox({ maxProcesses: 40 });
    // each starts a few more, up to a bound that spares the machine if nothing stops them
    const flood =
      'f() { [ "$1" -gt 8 ] && sleep 1000; f $(($1 + 1)) & f $(($1 + 1)) & wait; }; f 0; echo over';
    const isRoot = process.getuid?.() === 0;
    const timeoutMs = isRoot ? 50_000 : 3_000;
    const { stdout, stopped, exitCode } = await outcome(under, `${flood} 2>/dev/null`, { timeoutMs });
    // the limit of the system holds for others than root, for whom the sandbox counts
    if (isRoot) expect([stopped, exitCode]).toEqual(["processes", null]);
    expect(stdout).not.toContain("over");
    expect((await outcome(under, "echo alive")).stdout).toBe("alive\n");
  });

  test("a sandbox in a sandbox is not made", async () => {
    const { exitCode } = await outcome(await sandbox(), "unshare --user true");
    expect(exitCode).not.toBe(0);
  });

  test("a gigabyte of output is read to its end, and its tail kept", async () => {
    const { texts } = coder((await sandbox()).workspace);
    const [text] = await texts([
      "run_command",
      { command: "head -c 1000000000 /dev/zero; echo; echo the end" },
    ]);
    expect(text!.length).toBeLessThan(51_000);
    expect(text).toMatch(/the end\n\[Exit code 0\.\]$/u);
  });
});

test("a file of a terabyte is refused by its size, and not read", async () => {
  const { workspace, root, dispose } = await folderUnderTest({ commands: false });
  onTestFinished(dispose);
  const { truncateSync } = await import("node:fs");
  writeFileSync(join(root, "huge"), "");
  truncateSync(join(root, "huge"), 2 ** 40);
  expect(statSync(join(root, "huge")).size).toBe(2 ** 40);
  const [read, grep] = await coder(workspace).texts(
    ["read_file", { path: "huge" }],
    ["grep_files", { pattern: "x" }],
  );
  expect(read).toBe("Error: 'huge' has 1099511627776 bytes, which are more than 67108864.");
  expect(grep).toBe("[Nothing was found.]");
});
