import { parser } from "@prometheus-io/lezer-promql";
import { parse, parseAllDocuments } from "yaml";
import { problemOf } from "../cli/program.ts";

/** Reads a file of `deploy/`, or of a test that has changed it. */
export type Read = (path: string) => string;

type Named = { readonly metadata: { readonly name: string } };
type Labels = { readonly [name: string]: string };
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type PodSpec = {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly runAsUser?: number };
  readonly volumes?: readonly { readonly name: string }[];
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly volumeMounts?: readonly { readonly name: string }[];
    readonly securityContext?: {
      readonly allowPrivilegeEscalation?: boolean;
      readonly readOnlyRootFilesystem?: boolean;
    };
    readonly startupProbe?: Probe;
    readonly readinessProbe?: Probe;
    readonly livenessProbe?: Probe;
  }[];
};
type Deployment = Named & {
  readonly kind: "Deployment";
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
      readonly spec: PodSpec;
    };
  };
};
type Service = Named & {
  readonly kind: "Service";
  readonly spec: { readonly selector: Labels; readonly ports: readonly { readonly targetPort: string }[] };
};
type Budget = Named & {
  readonly kind: "PodDisruptionBudget";
  readonly spec: { readonly selector: { readonly matchLabels: Labels } };
};
type Scaled = Named & {
  readonly kind: "ScaledObject";
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly metadata: { readonly query: string } }[];
  };
};

const NUMBERS = ["--concurrency", "--drain-ms", "--health-port", "--port"];
/** What a worker drains for unless it is told. */
const DRAIN_MS = 8_000;
/** The user of the base image. */
const NONROOT = 65_532;
const PROBES = { startupProbe: "/readyz", readinessProbe: "/readyz", livenessProbe: "/healthz" } as const;

const valueOf = (args: readonly string[], option: string): string | undefined => {
  const index = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  return index < 0 ? undefined : (args[index]!.split("=")[1] ?? args[index + 1]);
};
const isIn = (labels: Labels, selector: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/** What is wrong with the arguments of a worker or a server, and how long it may take to end, in seconds. */
function problemsOfProgram(args: readonly string[], graceS: number, port: number): readonly string[] {
  const wrong: string[] = [];
  let problem: string | undefined;
  try {
    problem = problemOf(args);
  } catch (error) {
    problem = String(error);
  }
  if (problem !== undefined) wrong.push(`${args.join(" ")}: ${problem}`);
  for (const option of NUMBERS)
    if (!/^\d+$/.test(valueOf(args, option) ?? "0")) wrong.push(`${option} must be a number`);
  const drainMs = Number(valueOf(args, "--drain-ms") ?? DRAIN_MS);
  if (graceS * 1000 <= drainMs) wrong.push(`it drains for ${drainMs} ms, and is killed after ${graceS} s`);
  const listens = valueOf(args, args[0] === "worker" ? "--health-port" : "--port");
  if (listens !== String(port)) wrong.push(`it listens on ${listens}, and is asked at ${port}`);
  return wrong;
}

function problemsOfPods({ metadata, spec: { selector, template } }: Deployment): readonly string[] {
  const { spec: pod } = template;
  const [container] = pod.containers;
  const { args, ports, volumeMounts = [] } = container!;
  const port = ports[0]!;
  const wrong = [...problemsOfProgram(args, pod.terminationGracePeriodSeconds, port.containerPort)];
  if (!isIn(template.metadata.labels, selector.matchLabels))
    wrong.push("it selects other pods than it makes");
  const hostOption = args[0] === "worker" ? "--health-host" : "--host";
  if (valueOf(args, hostOption) !== "0.0.0.0")
    wrong.push(`without ${hostOption}=0.0.0.0 nobody outside of the pod reaches it`);
  for (const [name, path] of Object.entries(PROBES)) {
    const probe = container![name as keyof typeof PROBES];
    if (probe?.httpGet.path !== path || probe.httpGet.port !== port.name)
      wrong.push(`${name} must ask ${path} at the port ${port.name}`);
  }
  const scraped = template.metadata.annotations?.["prometheus.io/port"];
  if (args[0] === "worker" && scraped !== String(port.containerPort))
    wrong.push("its metrics are looked for at another port");
  const { runAsNonRoot, runAsUser } = pod.securityContext ?? {};
  const { allowPrivilegeEscalation, readOnlyRootFilesystem } = container!.securityContext ?? {};
  if (!runAsNonRoot || runAsUser !== NONROOT || allowPrivilegeEscalation !== false || !readOnlyRootFilesystem)
    wrong.push("it must run as the user of the image, without rights and without writing to its image");
  for (const { name } of volumeMounts)
    if (!pod.volumes?.some((volume) => volume.name === name)) wrong.push(`there is no volume ${name}`);
  return wrong.map((problem) => `${metadata.name}: ${problem}`);
}

function problemsOfKubernetes(read: Read): readonly string[] {
  const all = ["worker", "server"].flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}.yaml`)).map(
      (document) => document.toJS() as Deployment | Service | Budget | Scaled,
    ),
  );
  const deployments = all.filter((each) => each.kind === "Deployment");
  const podsOf = (selector: Labels) =>
    deployments.filter(({ spec }) => isIn(spec.template.metadata.labels, selector));
  return all.flatMap((each) => {
    switch (each.kind) {
      case "Deployment":
        return problemsOfPods(each);
      case "Service": {
        const [pods] = podsOf(each.spec.selector);
        const names = pods?.spec.template.spec.containers[0]!.ports.map(({ name }) => name) ?? [];
        return each.spec.ports.every(({ targetPort }) => names.includes(targetPort))
          ? []
          : [`${each.metadata.name}: no pod has that port`];
      }
      case "PodDisruptionBudget":
        return podsOf(each.spec.selector.matchLabels).length === 1
          ? []
          : [`${each.metadata.name}: selects no pods`];
      case "ScaledObject":
        return deployments.some(({ metadata }) => metadata.name === each.spec.scaleTargetRef.name)
          ? []
          : [`${each.metadata.name}: scales a deployment that is not there`];
    }
  });
}

type Compose = {
  readonly services: {
    readonly [name: string]: {
      readonly image?: string;
      readonly build?: { readonly dockerfile: string };
      readonly command?: readonly string[];
      readonly environment: Labels;
      readonly volumes?: readonly string[];
      readonly ports?: readonly string[];
      readonly healthcheck?: { readonly test: readonly string[] };
      readonly depends_on?: { readonly [name: string]: { readonly condition: string } };
      readonly stop_grace_period?: string;
    };
  };
  readonly volumes: { readonly [name: string]: unknown };
};

/** The arguments with which an image starts if it is given none. */
const commandOf = (read: Read): readonly string[] =>
  JSON.parse(/^CMD (.*)$/m.exec(read("Dockerfile"))![1]!) as string[];

function problemsOfCompose(read: Read): readonly string[] {
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as Compose;
  const exposed = Number(/^EXPOSE (\d+)$/m.exec(read("Dockerfile"))![1]);
  return Object.entries(services).flatMap(([name, service]) => {
    const wrong: string[] = [];
    if (service.build) {
      if (service.build.dockerfile !== "node_modules/agentchart/deploy/Dockerfile")
        wrong.push("there is no such Dockerfile");
      const grace = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? "")?.[1] ?? 10);
      wrong.push(...problemsOfProgram(service.command ?? commandOf(read), grace, exposed));
      const url = new URL(service.environment["DATABASE_URL"]!.replaceAll(/\$\{.*?\}/g, "secret"));
      const database = services[url.hostname];
      if (database?.environment["POSTGRES_DB"] !== url.pathname.slice(1))
        wrong.push("its database is not there");
      if (!database?.healthcheck?.test.includes(url.pathname.slice(1)))
        wrong.push("the health check asks another database");
      if (service.depends_on?.[url.hostname]?.condition !== "service_healthy")
        wrong.push("it does not wait for its database");
    }
    for (const port of service.ports ?? [])
      if (!port.startsWith("127.0.0.1:") || !port.endsWith(`:${exposed}`))
        wrong.push(`${port} is open to all, or leads to no port of the image`);
    for (const volume of service.volumes ?? [])
      if (!Object.hasOwn(volumes, volume.split(":")[0]!)) wrong.push(`there is no volume ${volume}`);
    return wrong.map((problem) => `compose ${name}: ${problem}`);
  });
}

function problemsOfImage(read: Read): readonly string[] {
  const text = read("Dockerfile");
  const [last = ""] = [...text.matchAll(/^FROM (.*)$/gm)].map(([, image]) => image!).slice(-1);
  const exposed = Number(/^EXPOSE (\d+)$/m.exec(text)?.[1]);
  const wrong = [...problemsOfProgram(commandOf(read), 10, exposed)];
  if (!last.endsWith(":nonroot")) wrong.push("its user has rights");
  if (!text.includes(`HEALTH_URL=http://127.0.0.1:${exposed}/readyz`))
    wrong.push("its health check asks another address");
  for (const secret of [".env*", ".git", ".agentchart", "tokens.json"])
    if (!read("Dockerfile.dockerignore").split("\n").includes(secret)) wrong.push(`it may hold ${secret}`);
  return wrong.map((problem) => `image: ${problem}`);
}

/** The directives of a unit, each with its values. */
const directivesOf = (unit: string): ReadonlyMap<string, string> =>
  new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
const HARDENED = ["NoNewPrivileges=true", "ProtectSystem=strict", "ProtectHome=true", "PrivateTmp=true"];

function problemsOfUnit(read: Read, name: "worker" | "server"): readonly string[] {
  const unit = read(`systemd/agentchart-${name}.service`);
  const directives = directivesOf(unit);
  const [node, main, ...args] = (directives.get("ExecStart") ?? "").split(" ");
  const wrong = [
    ...problemsOfProgram(args, Number(directives.get("TimeoutStopSec")), name === "worker" ? 9100 : 8790),
  ];
  if (args[0] !== (name === "worker" ? "worker" : "serve")) wrong.push("it starts another program");
  if (!node?.startsWith("/") || main !== "node_modules/agentchart/dist/cli/main.mjs")
    wrong.push("it starts no program of the package");
  if ((directives.get("User") ?? "root") === "root") wrong.push("it runs as root");
  for (const line of HARDENED) if (!unit.includes(`\n${line}\n`)) wrong.push(`it lacks ${line}`);
  if (directives.get("ReadWritePaths") !== directives.get("WorkingDirectory"))
    wrong.push("it may write elsewhere, or not where it works");
  if (directives.get("Restart") !== "always" || directives.get("WantedBy") !== "multi-user.target")
    wrong.push("it is not started again");
  return wrong.map((problem) => `unit ${name}: ${problem}`);
}

/** Labels that Prometheus adds to what it scrapes, or that the buckets of a histogram have. */
const SCRAPED = ["instance", "job", "pod", "le"];

/** What is wrong with a query: its syntax, a metric that no worker reports, a label that the metric does not have. */
function problemsOfQuery(query: string, labelsOf: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const text = query.replaceAll("$__rate_interval", "5m");
  const wrong: string[] = [];
  const known = new Set(SCRAPED);
  const used: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const part = text.slice(from, to);
      if (type.isError) wrong.push(`not PromQL at ${from}`);
      if (type.name === "LabelName") used.push(part);
      if (type.name !== "Identifier" || !/^(?:agentchart|process|nodejs)_/.test(part)) return;
      const labels = labelsOf.get(part.replace(/_(?:bucket|sum|count)$/, ""));
      if (labels === undefined) wrong.push(`no worker reports ${part}`);
      for (const label of labels ?? []) known.add(label);
    },
  });
  for (const label of used) if (!known.has(label)) wrong.push(`its metrics have no label ${label}`);
  return wrong.map((problem) => `${query}: ${problem}`);
}

/** Whether the result of a query has a label: one that it keeps, or one of what is scraped if it sums nothing up. */
const hasLabel = (query: string, label: string): boolean =>
  new RegExp(`by \\([^)]*\\b${label}\\b`).test(query) ||
  (SCRAPED.includes(label) && !/\b(?:sum|max|min|avg|count)\b/.test(query));

const DURATION = /^\d+[smhd]$/;

function problemsOfQueries(read: Read, labelsOf: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const wrong: string[] = [];
  const { groups } = parse(read("alerts.yaml")) as {
    groups: { rules: { alert: string; expr: string; for?: string; labels: Labels; annotations: Labels }[] }[];
  };
  for (const { alert, expr, for: lasts = "0s", labels, annotations } of groups.flatMap(
    ({ rules }) => rules,
  )) {
    wrong.push(...problemsOfQuery(expr, labelsOf));
    if (!DURATION.test(lasts)) wrong.push(`${alert}: ${lasts} is not a duration`);
    if (!["info", "warning", "critical"].includes(labels["severity"]!))
      wrong.push(`${alert}: it has no severity`);
    for (const [, label] of annotations["summary"]!.matchAll(/\$labels\.(\w+)/g))
      if (!hasLabel(expr, label!)) wrong.push(`${alert}: its query has no label ${label}`);
  }
  type Panel = {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  };
  const { panels } = JSON.parse(read("grafana/workers.json")) as { readonly panels: readonly Panel[] };
  for (const [index, { id, title, gridPos: at, targets }] of panels.entries()) {
    if (targets.length === 0) wrong.push(`${title}: it has no query`);
    for (const { expr, legendFormat = "" } of targets) {
      wrong.push(...problemsOfQuery(expr, labelsOf));
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        if (!hasLabel(expr, label!)) wrong.push(`${title}: its query has no label ${label}`);
    }
    for (const other of panels.slice(index + 1)) {
      if (other.id === id) wrong.push(`${title} and ${other.title} have one id`);
      const { x, y, w, h } = other.gridPos;
      if (at.x < x + w && x < at.x + at.w && at.y < y + h && y < at.y + at.h)
        wrong.push(`${title} covers ${other.title}`);
    }
    if (at.x + at.w > 24) wrong.push(`${title} is wider than the dashboard`);
  }
  const scaled = parseAllDocuments(read("kubernetes/worker.yaml")).map(
    (document) => document.toJS() as Scaled,
  );
  for (const { kind, spec } of scaled)
    if (kind === "ScaledObject")
      for (const { metadata } of spec.triggers) wrong.push(...problemsOfQuery(metadata.query, labelsOf));
  return wrong;
}

/** All that is wrong with how the files of `deploy/` fit together, and with what they start. `labelsOf` has the metrics of a worker. */
export const problemsOf = (
  read: Read,
  labelsOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] => [
  ...problemsOfKubernetes(read),
  ...problemsOfCompose(read),
  ...problemsOfImage(read),
  ...problemsOfUnit(read, "worker"),
  ...problemsOfUnit(read, "server"),
  ...problemsOfQueries(read, labelsOf),
];
