import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../source-files.ts";
import { fieldsOf, membersOf, typeText, type Field, type Member } from "./union.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const line = ({ name, type, doc }: Field): string => `- \`${name}\`: \`${type}\`${doc && `. ${doc}`}\n`;

/** A member under its names: a type may have several. */
function section({ doc, fields, more }: Member): string {
  const names = fields.find(({ name }) => name === "type")?.type.matchAll(/"([^"]+)"/g) ?? [];
  const title = [...names].map(([, name]) => `\`${name}\``).join(", ");
  const own = fields.filter(({ name }) => name !== "type").map(line);
  const others = more.map((type) => `- the fields of \`${type}\`\n`);
  const list = [...own, ...others].join("");
  return `### ${title}\n\n${doc && `${doc}\n\n`}${list && `${list}\n`}`;
}

const sections = (path: string, declaration: string): string =>
  membersOf(typeText(read(path), declaration))
    .map(section)
    .join("");

/** The page of events: those of an agent, those of a worker, and the entries of journals. */
export function eventsPage(): string {
  const types = "src/core/event/types.ts";
  const base = fieldsOf(typeText(read(types), "type EventBase"))
    .map(line)
    .join("");
  const worker = typeText(read("src/worker/types.ts"), "export type WorkerEvent").replace(
    /^[^&]*& \(([^]*)\)$/,
    "$1",
  );
  const entries = fieldsOf(typeText(read("src/session/entry.ts"), "export type EntryData"));
  const entry = ({ name, type, doc }: Field): string =>
    `### \`${name}\`\n\n${doc && `${doc}\n\n`}\`${type}\`\n\n`;
  return `# Events and entries

What agents and workers report, and what journals contain, as the sources declare it. [Streams](../guide/streams.md) and
[pages](../ui.md) show how events are read, [sessions](../guide/sessions.md) what a journal is for.

## Events of an agent

Each event has these fields beside those of its type:

${base}
${sections(types, "export type AgentEventBody")}## Events of a worker

The listener of \`worker.subscribe\` gets them; the log of \`agentchart worker\` has one line for each. Each has \`at\`, epoch ms.

${membersOf(worker).map(section).join("")}## Entries of a journal

The journal of a session is a list of them, each with its number \`seq\` and its time \`at\`. \`agentchart sessions export\` prints them.

${entries.map(entry).join("")}## Facts of a step

What a step of the chart declares that it did: events and entries are made of these.

${sections("machines/agent/facts.ts", "export type Fact")}`;
}
