// An optional field of whatever a program gives to the package may be undefined, so that `apiKey: process.env.KEY` compiles with
// `exactOptionalPropertyTypes`. Read from the reports of the public types, so that a new option cannot forget it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

type Field = { readonly of: string; readonly name: string; readonly type: string };

const OPEN = "([{";
const CLOSE = ")]}";

/** The end of the type that begins here: at a `;`, or at the bracket around it. Brackets of generics are none. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (OPEN.includes(text[at]!)) depth++;
    else if (CLOSE.includes(text[at]!) && depth-- === 0) return at;
    else if (text[at] === ";" && depth === 0) return at;
  }
  return text.length;
}

/** The optional fields of the types of a declaration; optional parameters of functions are none of them. */
function optionalFields(declaration: string): Field[] {
  const of =
    /^(?:export )?(?:declare )?(?:type|interface|class|function|const|abstract class) (\w+)/u.exec(
      declaration,
    )?.[1] ?? "";
  const around: string[] = [];
  const fields: Field[] = [];
  for (let at = 0; at < declaration.length; at++) {
    const letter = declaration[at]!;
    if (OPEN.includes(letter)) around.push(letter);
    else if (CLOSE.includes(letter)) around.pop();
    else if (declaration.startsWith("?:", at) && around.at(-1) === "{") {
      const name = /(\w+|"[^"]+")$/u.exec(declaration.slice(0, at))?.[1] ?? "";
      fields.push({ of, name, type: declaration.slice(at + 2, endOf(declaration, at + 2)).trim() });
    }
  }
  return fields;
}

const declarationsIn = (report: string): string[] =>
  report
    .replaceAll(/\/\/[^\n]*/gu, "")
    .split(/\n(?=(?:export|declare|type|interface) )/u)
    .map((each) => each.trim());

/** `? undefined :` and `| undefined` in an inner type are not the field's own. */
const takesUndefined = ({ of, name, type }: Field): boolean =>
  name === "session_id" || // an argument that a model writes
  (of === "PartialOf" && name === "") || // a value that is taking form is told, not given
  /\| undefined$|^(?:undefined|unknown|any|never)$|^undefined \|/u.test(type);

/** Where the types of documents are, and of what the package tells: messages, events, facts and what protocols exchange. They are JSON,
 *  which has no undefined, or nobody makes them but the package. */
const DOCUMENTS = [
  "machines/agent/call-record.ts",
  "machines/agent/context.ts",
  "machines/agent/facts.ts",
  "machines/agent/model-call.ts",
  "machines/agent/prompt/edits.ts",
  "machines/agent/prompt/request.ts",
  "machines/agent/services.ts",
  "machines/agent/settings.ts",
  "machines/agent/step-account.ts",
  "machines/agent/prompt/shown.ts",
  "src/kit/plan/operations.ts",
  "src/core/base/error.ts",
  "src/core/event/conversation/ui-message-chunk.ts",
  "src/core/event/types.ts",
  "src/inspect/suspicions/facts.ts",
  "src/core/message/msg.ts",
  "src/core/message/types.ts",
  "src/core/model/openai/wire.ts",
  "src/testing/chat-completions-request.ts",
  "src/core/tool/fingerprint.ts",
  "src/core/tool/pending.ts",
  "src/core/tool/rules/law.ts",
  "src/core/tool/rules/rule.ts",
  "src/ui/ag-ui-event.ts",
  "src/ui/ag-ui-interrupts.ts",
  "src/testing/workspace-contract-kit.ts", // what a contract is made with, which reads it back
];
const documents = new Set(
  DOCUMENTS.flatMap((file) =>
    [
      ...readFileSync(join(ROOT, file), "utf8").matchAll(/^(?:export )?(?:type|interface|class) (\w+)/gmu),
    ].map(([, name]) => name),
  ).filter((name) => !["AgentErrorOptions", "Decision", "Limits"].includes(name!)),
);

/** The machines have the types of the chart, which nobody fills in. */
const reports = readdirSync(join(ROOT, "docs/api")).filter(
  (name) => !name.startsWith("agentchart-machines."),
);

test.each(reports)("optional fields of the types in docs/api/%s take undefined", (name) => {
  const fields = declarationsIn(readFileSync(join(ROOT, "docs/api", name), "utf8")).flatMap(optionalFields);
  const wrong = fields.filter((field) => !takesUndefined(field) && !documents.has(field.of));
  expect(wrong.map(({ of, name, type }) => `${of}.${name}: ${type}`)).toEqual([]);
});
