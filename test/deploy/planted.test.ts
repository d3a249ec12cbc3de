// test/deploy specifies that the files of deploy/ fit together, and that a mistake in any of them is found.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue } from "agentchart/worker";
import { metricsOf } from "../../src/cli/workers/worker-metrics.ts";
import { ROOT } from "../project/source-files.ts";
import { problemsOf, type Read } from "./check-files.ts";

const read: Read = (path) => readFileSync(join(ROOT, "deploy", path), "utf8");

/** The metrics of a worker with their labels, as their page has them, which a test makes of the code; and those of Node. */
const labelsOf = new Map<string, readonly string[]>();
beforeAll(async () => {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const worker = createWorker({ agents: {}, store, queue, sweepMs: 0 });
  const reported = await metricsOf(worker, queue, store).text();
  await worker.close();
  await queue.close();
  const page = readFileSync(join(ROOT, "docs/reference/telemetry.md"), "utf8");
  for (const [, name] of reported.matchAll(/^# TYPE (\w+) /gm)) {
    const [, labels = ""] = new RegExp(`^\\| \`${name!}\` +\\| \\w+ +\\| ([^|]*)\\|`, "m").exec(page) ?? [];
    labelsOf.set(
      name!,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    );
  }
});

test("the files fit together", () => {
  expect(labelsOf.size).toBeGreaterThan(30);
  expect(problemsOf(read, labelsOf)).toEqual([]);
});

const WORKER = "kubernetes/worker.yaml";
const SERVER = "kubernetes/server.yaml";
const UNIT = "systemd/agentchart-worker.service";

// each is a mistake that someone could make in one place
test.each<readonly [file: string, from: string | RegExp, to: string, problem: RegExp]>([
  [WORKER, "--concurrency=50", "--concurency=50", /unknown: --concurency/],
  [WORKER, "--concurrency=50", "--concurrency=fifty", /--concurrency must be a number/],
  [WORKER, "- worker\n", "- workers\n", /no such command/],
  [WORKER, "--drain-ms=20000", "--drain-ms=30000", /drains for 30000 ms, and is killed after 30 s/],
  [WORKER, "--health-port=9100", "--health-port=9101", /listens on 9101/],
  [WORKER, "--health-host=0.0.0.0", "--health-host=127.0.0.1", /nobody outside/],
  [
    WORKER,
    "readinessProbe:\n            httpGet: { path: /readyz",
    "readinessProbe:\n            httpGet: { path: /ready",
    /readinessProbe/,
  ],
  [WORKER, /path: \/healthz, port: health/, "path: /healthz, port: http", /livenessProbe/],
  [
    WORKER,
    /livenessProbe:\n +httpGet: \{ path: \/healthz/,
    "livenessProbe:\n            httpGet: { path: /readyz",
    /livenessProbe/,
  ],
  [WORKER, 'prometheus.io/port: "9100"', 'prometheus.io/port: "9200"', /metrics/],
  [WORKER, "runAsUser: 65532", "runAsUser: 0", /without rights/],
  [WORKER, "runAsNonRoot: true", "runAsNonRoot: false", /without rights/],
  [WORKER, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", /without rights/],
  [WORKER, "{ name: tmp, mountPath", "{ name: temp, mountPath", /no volume temp/],
  [WORKER, "scaleTargetRef: { name: agents-worker }", "scaleTargetRef: { name: agent-worker }", /not there/],
  [
    WORKER,
    /matchLabels: \{ app(.*)component: worker \}/,
    "matchLabels: { app$1component: works }",
    /selects no pods/,
  ],
  [
    WORKER,
    "agentchart_queue_delay_seconds_bucket",
    "agentchart_queue_delays_seconds_bucket",
    /no worker reports/,
  ],
  [SERVER, "--port=8790", "--port=8080", /listens on 8080/],
  [SERVER, "--host=0.0.0.0, ", "", /nobody outside/],
  [SERVER, "targetPort: http", "targetPort: web", /no pod has that port/],
  [
    SERVER,
    /selector: \{ app(.*)component: server \}/,
    "selector: { app$1component: serve }",
    /no pod has that port/,
  ],
  [SERVER, "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 5", /killed after 5 s/],
  ["compose.yaml", "@postgres/agents", "@database/agents", /its database is not there/],
  ["compose.yaml", "POSTGRES_DB: agents", "POSTGRES_DB: agent", /its database is not there/],
  ["compose.yaml", '"--dbname", "agents"', '"--dbname", "postgres"', /another database/],
  ["compose.yaml", "condition: service_healthy", "condition: service_started", /does not wait/],
  ["compose.yaml", '"--port", "9100"', '"--port", "8790"', /listens on 8790/],
  ["compose.yaml", "127.0.0.1:8790:9100", "8790:9100", /open to all/],
  ["compose.yaml", "127.0.0.1:8790:9100", "127.0.0.1:8790:9000", /leads to no port/],
  ["compose.yaml", "- postgres:/var", "- data:/var", /no volume data/],
  ["compose.yaml", "deploy/Dockerfile\n", "deploy/dockerfile\n", /no such Dockerfile/],
  ["compose.yaml", '["serve", ', '["server", ', /no such command/],
  ["compose.yaml", "stop_grace_period: 20s", "stop_grace_period: 8s", /killed after 8 s/],
  ["Dockerfile", "debian12:nonroot", "debian12", /its user has rights/],
  ["Dockerfile", "EXPOSE 9100", "EXPOSE 9101", /image: it listens on 9100, and is asked at 9101/],
  ["Dockerfile", ":9100/readyz", ":9100/ready", /health check/],
  ["Dockerfile", '"--agents", "agents.ts"', '"--agent-files", "agents.ts"', /unknown: --agent-files/],
  ["Dockerfile.dockerignore", ".env*\n", "", /may hold \.env/],
  [UNIT, "--health-port 9100", "--health-prot 9100", /unknown: --health-prot/],
  [UNIT, "dist/cli/main.mjs", "dist/main.mjs", /no program of the package/],
  [UNIT, "TimeoutStopSec=20", "TimeoutStopSec=5", /killed after 5 s/],
  [UNIT, "User=agentchart\n", "", /runs as root/],
  [UNIT, "NoNewPrivileges=true", "NoNewPrivilege=true", /lacks NoNewPrivileges/],
  [UNIT, "ReadWritePaths=/srv/agents", "ReadWritePaths=/srv", /write elsewhere/],
  [UNIT, "Restart=always", "Restart=no", /not started again/],
  ["systemd/agentchart-server.service", "--port 8790", "--port 8791", /listens on 8791/],
  [
    "grafana/workers.json",
    "sum(agentchart_sessions_running)",
    "sum(agentchart_sessions_run)",
    /no worker reports/,
  ],
  [
    "grafana/workers.json",
    "sum(agentchart_sessions_running)",
    "sum(agentchart_sessions_running",
    /not PromQL/,
  ],
  ["grafana/workers.json", /sum by \(step\)/, "sum by (tool)", /no label tool/],
  ["grafana/workers.json", '"id": 2,', '"id": 1,', /have one id/],
  ["grafana/workers.json", '"x": 8,', '"x": 4,', /covers/],
  ["grafana/workers.json", "process_resident_memory_bytes", "process_resident_memory", /no worker reports/],
  ["alerts.yaml", "for: 5m", "for: 5 minutes", /not a duration/],
  ["alerts.yaml", "severity: warning", "level: warning", /no severity/],
  ["alerts.yaml", "sum by (from)", "sum", /no label from/],
  ["alerts.yaml", 'state="waiting"', 'status="waiting"', /no label status/],
  ["alerts.yaml", "agentchart_takeovers_total", "agentchart_takeover_total", /no worker reports/],
])("in %s, %s as %j is a mistake that is found", (file, from, to, problem) => {
  const changed = read(file).replace(from, to);
  expect(changed).not.toBe(read(file));
  const found = problemsOf((path) => (path === file ? changed : read(path)), labelsOf);
  expect(found.join("\n")).toMatch(problem);
});
