// test/deploy specifies the image of deploy/Dockerfile without a builder: each of its steps is run here, and so is what it starts.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { ROOT } from "../project/source-files.ts";

type Instruction = { readonly name: string; readonly text: string };

/** The instructions of the Dockerfile, in order. */
const instructions = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line): Instruction => ({ name: line.split(" ")[0]!, text: line.slice(line.indexOf(" ") + 1) }));
const of = (name: string): readonly string[] =>
  instructions.filter((each) => each.name === name).map(({ text }) => text);
const listOf = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf("["))) as string[];

/** The user of the base image. */
const NONROOT = 65532;
const BASE_NODE = "/nodejs/bin/node";
const AGENTS = `
  import { scriptedModel } from "agentchart/testing";
  export default { desk: () => ({ name: "desk", model: scriptedModel(["done"]) }) };
`;

const sizeOf = (folder: string): number =>
  globSync("**/*", { cwd: folder }).reduce((sum, path) => {
    const file = statSync(join(folder, path), { throwIfNoEntry: false });
    return sum + (file?.isFile() ? file.size : 0);
  }, 0);

describe("deploy/Dockerfile", () => {
  let app: string;

  /** Makes a project of the packed package, copies it but for what is ignored, and runs the build. */
  beforeAll(() => {
    if (!existsSync(join(ROOT, "THIRD-PARTY-NOTICES"))) throw new Error('Run "npm run build" first.');
    const [project, image] = ["project", "image"].map((name) =>
      mkdtempSync(join(tmpdir(), `agentchart-${name}-`)),
    );
    app = image!;
    const npm = (cwd: string, ...args: readonly string[]): string =>
      execFileSync("npm", [...args, "--ignore-scripts", "--silent"], { cwd, encoding: "utf8" });
    const tarball = npm(ROOT, "pack", "--pack-destination", project!).trim();
    writeFileSync(join(project!, "package.json"), JSON.stringify({ private: true, type: "module" }));
    writeFileSync(join(project!, "agents.ts"), AGENTS);
    writeFileSync(join(project!, ".env"), "OPENAI_API_KEY=secret");
    npm(project!, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`, "pg", "bullmq");

    expect(of("COPY")[0]).toBe(". .");
    const ignored = readFileSync(join(ROOT, "deploy/Dockerfile.dockerignore"), "utf8").trim().split("\n");
    const left = new Set(ignored.flatMap((pattern) => globSync(pattern, { cwd: project! })));
    expect(left).toContain(".env");
    cpSync(project!, app, {
      recursive: true,
      filter: (source) => ![...left].some((path) => source === join(project!, path)),
    });
    for (const command of of("RUN"))
      execFileSync("sh", ["-euc", command], {
        cwd: app,
        env: { ...process.env, npm_config_prefer_offline: "true" },
        stdio: "pipe",
      });
    rmSync(project!, { recursive: true, force: true });
    chmodSync(app, 0o755);
    return () => rmSync(app, { recursive: true, force: true });
  });

  test("adds no secret and less than 30 MB to the base image", () => {
    expect(existsSync(join(app, ".env"))).toBe(false);
    expect(sizeOf(app)).toBeLessThan(30e6);
  });

  test("starts a worker as a user without rights, which is ready by its health check and drains at SIGTERM", async ({
    skip,
  }) => {
    const postgres = await startPostgres();
    if (!postgres) return skip(NO_POSTGRES);
    onTestFinished(postgres.stop);
    const port = String(await freePort());
    const [node, ...entry] = listOf(of("ENTRYPOINT")[0]!);
    expect(node).toBe(BASE_NODE);
    const args = [...entry, ...listOf(of("CMD")[0]!)].map((arg) => (arg === "9100" ? port : arg));
    const isRoot = process.getuid?.() === 0;
    const home = mkdtempSync(join(tmpdir(), "agentchart-nonroot-"));
    if (isRoot) chownSync(home, NONROOT, NONROOT);
    // the program of this process may lie where that user may not read
    const copied = join(home, "node");
    cpSync(process.execPath, copied);
    chmodSync(copied, 0o755);
    const [environment] = of("ENV");
    const env = Object.fromEntries(
      environment!.split(" ").map((pair) => pair.split("=") as [string, string]),
    );
    const worker = spawn(copied, args, {
      cwd: app,
      env: { ...BARE_ENV, ...env, HOME: home, DATABASE_URL: postgres.connectionString },
      stdio: ["ignore", "ignore", "pipe"],
      ...(isRoot && { uid: NONROOT, gid: NONROOT }),
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    let log = "";
    worker.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    const ended = once(worker, "exit");

    const healthUrl = env["HEALTH_URL"]!.replace("9100", port);
    const [health] = of("HEALTHCHECK");
    const [, ...check] = listOf(health!.slice(health!.indexOf("CMD")));
    const isHealthy = (): boolean => {
      try {
        execFileSync(copied, check, { env: { HEALTH_URL: healthUrl }, stdio: "pipe" });
        return true;
      } catch {
        if (worker.exitCode !== null) throw new Error(log);
        return false;
      }
    };
    await expect.poll(isHealthy, { interval: 200 }).toBe(true);
    expect(of("STOPSIGNAL")).toEqual(["SIGTERM"]);
    worker.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(isRoot ? statSync(app).uid : undefined).not.toBe(NONROOT);
  });
});
