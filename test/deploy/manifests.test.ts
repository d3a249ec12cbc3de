// test/deploy specifies the files of deploy/: they are valid, say only what is there, and what they start works.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { Deployment } from "kubernetes-models/apps/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Service } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue } from "agentchart/worker";
import { metricsOf } from "../../src/cli/workers/worker-metrics.ts";
import { helpOf } from "../cli/program.ts";
import { ROOT } from "../project/source-files.ts";

vi.setConfig({ testTimeout: 120_000 });

const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");

type Manifest = { readonly kind: string; readonly spec: { readonly [field: string]: unknown } };
type Container = { readonly args: readonly string[]; readonly terminationGracePeriodSeconds?: number };

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
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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

  test("give a worker longer to end than it drains, and start it with options that it has", () => {
    for (const { manifest } of manifests.filter(({ manifest: { kind } }) => kind === "Deployment")) {
      const { spec } = manifest.spec["template"] as {
        spec: { containers: readonly Container[]; terminationGracePeriodSeconds: number };
      };
      const { args } = spec.containers[0]!;
      const help = helpOf(args[0]!);
      for (const [option] of args.slice(1).map((arg) => arg.split("="))) expect(help).toContain(`${option} `);
      const drain = args.find((arg) => arg.startsWith("--drain-ms="))?.split("=")[1] ?? "8000";
      expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(drain));
    }
  });
});

describe("the queries of dashboard, alerts and scaling", () => {
  const dashboard = JSON.parse(read("grafana/workers.json")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const { groups } = parse(read("alerts.yaml")) as {
    readonly groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  };
  const scaled = manifests.find(({ manifest }) => manifest.kind === "ScaledObject")!.manifest.spec as {
    readonly triggers: readonly { readonly metadata: { readonly query: string } }[];
  };
  const queries = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...scaled.triggers.map(({ metadata }) => metadata.query),
  ].map((query) => query.replaceAll("$__rate_interval", "5m"));

  test("are PromQL over metrics and labels that a worker reports", async () => {
    const [store, queue] = [memoryStore(), inProcessQueue()];
    const worker = createWorker({ agents: {}, store, queue, sweepMs: 0 });
    onTestFinished(async () => {
      await worker.close();
      await queue.close();
      await store.close();
    });
    const reported = await metricsOf(worker, queue, store).text();
    expect(queries.length).toBeGreaterThan(20);
    const problems = queries.flatMap((query) => {
      const found: string[] = [];
      parser.parse(query).iterate({
        enter({ type, from, to }) {
          const text = query.slice(from, to);
          if (type.isError) found.push(`${query}: not PromQL at ${from}`);
          const name = text.replace(/_bucket$/, "");
          if (type.name === "Identifier" && /^(?:agentchart|process|nodejs)_/.test(text))
            if (!reported.includes(`# TYPE ${name} `)) found.push(`${query}: no worker reports ${name}`);
        },
      });
      return found;
    });
    expect(problems).toEqual([]);
  });

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

  test.each(unit)("%s starts the program with options that it has", (path) => {
    const [, command = ""] = /^ExecStart=.*main\.mjs (.*)$/m.exec(read(path))!;
    const [name, ...args] = command.split(" ");
    const help = helpOf(name!);
    for (const option of args.filter((arg) => arg.startsWith("--"))) expect(help).toContain(`${option} `);
  });

  test.skipIf(!existsSync("/usr/bin/systemd-analyze"))("are valid", () => {
    const paths = unit.map((path) => join(ROOT, "deploy", path));
    const verified = execFileSync("systemd-analyze", ["verify", ...paths], {
      encoding: "utf8",
      stdio: "pipe",
    });
    expect(verified).toBe("");
  });
});
