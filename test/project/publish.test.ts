// A publish is rehearsed with npm itself, against a registry on loopback.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "./source-files.ts";

/** The document that npm sends to a registry. */
type Document = {
  readonly name: string;
  readonly access: string;
  readonly "dist-tags": { readonly latest: string };
  readonly versions: {
    readonly [version: string]: {
      readonly license: string;
      readonly engines: { readonly node: string };
      readonly dependencies?: { readonly [name: string]: string };
      readonly dist: { readonly integrity: string };
    };
  };
  readonly _attachments: { readonly [file: string]: { readonly data: string } };
};

type Package = {
  readonly name: string;
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly publishConfig?: object;
  readonly repository?: object;
};

const published = new Map<string, Document>();
const folder = mkdtempSync(join(tmpdir(), "agentchart-publish-"));
let registry: Server;
let address: string;

/** A registry that has nothing, and takes what comes with the token. */
async function answer(request: IncomingMessage): Promise<number> {
  if (request.method !== "PUT") return 404;
  if (request.headers.authorization !== "Bearer rehearsal") return 401;
  const document = (await json(request)) as Document;
  if (published.has(document.name)) return 409;
  published.set(document.name, document);
  return 201;
}

beforeAll(async () => {
  registry = createServer((request, response) => {
    void answer(request).then((status) => response.writeHead(status).end("{}"));
  });
  await new Promise<void>((done) => registry.listen(0, "127.0.0.1", done));
  const { port } = registry.address() as AddressInfo;
  address = `http://127.0.0.1:${port}/`;
  writeFileSync(join(folder, ".npmrc"), `//127.0.0.1:${port}/:_authToken=rehearsal\n`);
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const sha512 = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
const versionOf = (path: string): string =>
  (JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8")) as { readonly version: string })
    .version;

type Step = { readonly name?: string; readonly run?: string };
type Workflow = {
  readonly permissions: { readonly [name: string]: string };
  readonly jobs: { readonly publish: { readonly steps: readonly Step[] } };
};

describe("the workflow of a release", () => {
  const workflow = parse(readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8")) as Workflow;
  const { steps } = workflow.jobs.publish;
  const version = versionOf(".");

  /** Runs the step whose name begins so, in a copy of what it reads. Resolves to the copies; rejects if the step fails. */
  async function runStep(beginning: string, tag: string): Promise<readonly Package[]> {
    const place = mkdtempSync(join(folder, "step-"));
    mkdirSync(join(place, "create"));
    for (const path of ["package.json", "create/package.json"]) {
      const { name, version, workspaces } = JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Package;
      const kept = workspaces && { workspaces: ["create"] };
      writeFileSync(join(place, path), JSON.stringify({ name, version, ...kept }));
    }
    const { run = "" } = steps.find(({ name }) => name?.startsWith(beginning))!;
    const env = {
      ...process.env,
      GITHUB_REF_NAME: tag,
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_REPOSITORY: "team/agentchart",
    };
    await promisify(execFile)("bash", ["-e", "-c", run], { cwd: place, env });
    return ["package.json", "create/package.json"].map(
      (path) => JSON.parse(readFileSync(join(place, path), "utf8")) as Package,
    );
  }

  test("publishes both packages with provenance, and its tag is their version", async () => {
    expect(workflow.permissions["id-token"]).toBe("write");
    expect(steps.at(-1)!.run).toBe("npm publish && npm publish --workspace create");
    for (const path of ["package.json", "create/package.json"]) {
      const { publishConfig } = JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Package;
      expect(publishConfig).toEqual({ access: "public", provenance: true });
    }
    await expect(runStep("the tag is", `v${version}`)).resolves.toHaveLength(2);
    await expect(runStep("the tag is", "v9.9.9")).rejects.toThrow();
  });

  test("says in both packages where they are built, without which npm refuses their provenance", async () => {
    const repository = { type: "git", url: "git+https://git.example/team/agentchart.git" };
    const [root, create] = await runStep("the packages say", `v${version}`);
    expect(root!.repository).toEqual(repository);
    expect(create!.repository).toEqual({ ...repository, directory: "create" });
  });
});

test("both packages are published in one version, whole, and with nothing of the workspace", async () => {
  // provenance is signed by the machine of a workflow, which this is not
  const options = [
    `--registry=${address}`,
    `--userconfig=${join(folder, ".npmrc")}`,
    "--provenance=false",
    "--ignore-scripts",
  ];
  for (const which of [[], ["--workspace", "create"]])
    await promisify(execFile)("npm", ["publish", ...which, ...options], { cwd: ROOT });
  expect([...published.keys()].toSorted()).toEqual(["agentchart", "create-agentchart"]);
  const version = versionOf(".");
  expect(versionOf("create")).toBe(version);
  for (const [name, document] of published) {
    expect(document.access).toBe("public");
    expect(document["dist-tags"]).toEqual({ latest: version });
    const { license, engines, dependencies = {}, dist } = document.versions[version]!;
    expect([license, engines]).toEqual(["MIT", { node: ">=22.18" }]);
    expect(Object.values(dependencies).filter((range) => /^(file|workspace|link|\*)/.test(range))).toEqual(
      [],
    );
    const [tarball] = Object.values(document._attachments);
    expect(dist.integrity, name).toBe(sha512(Buffer.from(tarball!.data, "base64")));
  }
});
