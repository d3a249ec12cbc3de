// test/deploy specifies the files of deploy/: they are valid, say only what is there, and what they start works.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { Deployment } from "kubernetes-models/apps/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Service } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";
import { describe, expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");

type Manifest = { readonly kind: string; readonly spec: { readonly [field: string]: unknown } };

const manifests = globSync("kubernetes/*.yaml", { cwd: join(ROOT, "deploy") }).flatMap((path) =>
  parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return { path, manifest: document.toJS() as Manifest };
  }),
);

/** The kinds that are used: the model that validates one, and its type. */
const KINDS = {
  Deployment: [Deployment, "kubernetes-models/apps/v1"],
  PodDisruptionBudget: [PodDisruptionBudget, "kubernetes-models/policy/v1"],
  Service: [Service, "kubernetes-models/v1"],
  ScaledObject: [ScaledObject, "@kubernetes-models/keda/keda.sh/v1alpha1"],
} as const;

function validate({ kind, ...rest }: Manifest): void {
  const [Model] = KINDS[kind as keyof typeof KINDS];
  new Model(rest as never).validate();
}

/** Compiles the manifests as literals of their types, which do not allow a field that is unknown. Returns the compiler's errors. */
function compile(all: readonly Manifest[]): string {
  const folder = join(import.meta.dirname, ".manifests");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const imports = Object.entries(KINDS).map(([kind, [, from]]) => `import type { I${kind} } from "${from}";`);
  const literals = all.map(
    (manifest, index) => `export const m${index}: I${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  writeFileSync(join(folder, "manifests.ts"), [...imports, ...literals].join("\n"));
  const options = {
    extends: "../../../tsconfig.json",
    compilerOptions: { skipLibCheck: true },
    include: ["*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules/.bin/tsc"), "--noEmit", "--project", folder], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("the manifests for Kubernetes", () => {
  test("agree with the schemas of Kubernetes and KEDA, and name no unknown field", () => {
    expect(manifests.map(({ manifest }) => manifest.kind)).toHaveLength(6);
    for (const { manifest } of manifests) validate(manifest);
    expect(compile(manifests.map(({ manifest }) => manifest))).toBe("");
  });

  test("are found wrong with a field that is misspelled or of another type", () => {
    const { manifest } = manifests.find(({ path }) => path.endsWith("worker.yaml"))!;
    const misspelled = JSON.parse(
      JSON.stringify(manifest).replace("readinessProbe", "readynessProbe"),
    ) as Manifest;
    expect(compile([misspelled])).toContain("readynessProbe");
    expect(() => validate({ ...manifest, spec: { ...manifest.spec, replicas: "two" } })).toThrow("replicas");
  });
});

describe("the alerts", () => {
  const { groups } = parse(read("alerts.yaml")) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
  };

  test("have each a row in the table of docs/operate.md that says what to do", () => {
    const page = readFileSync(join(ROOT, "docs/operate.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(Agentchart\w+)` *\|/gm)].map(([, name]) => name!);
    expect(rows.toSorted()).toEqual(
      groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).toSorted(),
    );
  });
});

describe("the units of systemd", () => {
  const unit = globSync("systemd/*.service", { cwd: join(ROOT, "deploy") });

  /** What systemd says of units. It ends with 0 where it ignores a line. */
  const verify = (...paths: readonly string[]): string => {
    const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", ...paths], { encoding: "utf8" });
    return stdout + stderr;
  };

  test.skipIf(!existsSync("/usr/bin/systemd-analyze"))("are valid, and found wrong with a mistake", () => {
    expect(verify(...unit.map((path) => join(ROOT, "deploy", path)))).toBe("");
    const folder = mkdtempSync(join(tmpdir(), "agentchart-units-"));
    const place = join(folder, "planted.service");
    for (const [from, to] of [
      ["TimeoutStopSec=", "TimeoutStopSecs="],
      ["Restart=always", "Restart=alway"],
      ["ExecStart=/", "ExecStart="],
    ] as const) {
      writeFileSync(place, read(unit[0]!).replace(from, to));
      expect(verify(place), to).toContain("planted.service");
    }
  });

  test("get the files that they read by the commands of docs/deploy.md", () => {
    const [, commands = ""] =
      /^## One machine$[^]*?^```sh\n([^]*?)^```$/m.exec(readFileSync(join(ROOT, "docs/deploy.md"), "utf8")) ??
      [];
    const root = mkdtempSync(join(tmpdir(), "agentchart-machine-"));
    for (const path of ["etc/systemd/system", "project/node_modules/agentchart"])
      mkdirSync(join(root, path), { recursive: true });
    cpSync(join(ROOT, "deploy"), join(root, "project/node_modules/agentchart/deploy"), { recursive: true });
    writeFileSync(join(root, "project/tokens.json"), "[]");
    const here = commands.replaceAll(" /etc/", ` ${root}/etc/`).replaceAll(" -g agentchart", "");
    const stubs = 'sudo() { "$@"; }\nuseradd() { :; }\nsystemctl() { echo "$@"; }\n';
    const typed = 'printf %s DATABASE_URL=postgres://db/agents | sh -euc "$0"';
    const printed = execFileSync("sh", ["-c", typed, stubs + here], {
      cwd: join(root, "project"),
      encoding: "utf8",
    });
    const names = unit.map((path) => basename(path));
    expect(readdirSync(join(root, "etc/systemd/system"))).toEqual(names);
    expect(printed.trim().split(" ").slice(2)).toEqual(
      names.toReversed().map((name) => name.replace(".service", "")),
    );
    const needed = unit.flatMap((path) =>
      [...read(path).matchAll(/(?<=[= ])\/etc\/\S+/gm)].map(([file]) => file),
    );
    expect(new Set(needed).size).toBe(2);
    expect(needed.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(statSync(join(root, "etc/agentchart/env")).mode & 0o777).toBe(0o600);
  });
});
