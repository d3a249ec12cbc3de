const NODE = { "@types/node": "^24.0.0", typescript: ">=5.9.0" };
const ZOD = { zod: "^4.0.0" };

/** The templates: what each is for, the scripts beside `test` and `typecheck`, and the packages beside agentchart. */
export const TEMPLATES = {
  hello: {
    about: "an agent with one tool, asked from the terminal",
    scripts: { start: "node main.ts" },
    dependencies: ZOD,
  },
  "chat-page": {
    about: "agents in a chat page, loaded again when you save",
    scripts: { start: "agentchart dev --agents agents.ts" },
    dependencies: ZOD,
  },
  "approval-desk": {
    about: "a desk that asks a person before it pays, across processes",
    scripts: { start: "node main.ts" },
    dependencies: ZOD,
  },
  "worker-postgres": {
    about: "workers that drive sessions stored in Postgres",
    scripts: { start: "node ask.ts", worker: "agentchart worker --agents agents.ts" },
    dependencies: { ...ZOD, bullmq: "^6.7.0", pg: "^8.23.0" },
    devDependencies: { "@types/pg": "^8.0.0" },
  },
  machine: {
    about: "agents inside an XState machine of yours",
    scripts: { start: "node main.ts" },
    dependencies: { ...ZOD, xstate: "^5.0.0" },
  },
  "coding-assistant": {
    about: "an agent that edits files and runs commands in a sandbox",
    scripts: { start: "node main.ts" },
    dependencies: {},
  },
};

/** Returns the package.json of a project. `agentchart` is the version, or where npm gets it from. */
export function packageJson(name, template, agentchart) {
  const { scripts, dependencies, devDependencies = {} } = TEMPLATES[template];
  return {
    name,
    private: true,
    type: "module",
    scripts: { ...scripts, test: 'node --test "*.test.ts"', typecheck: "tsc" },
    dependencies: { agentchart, ...dependencies },
    devDependencies: { ...NODE, ...devDependencies },
    engines: { node: ">=22.18" },
  };
}
