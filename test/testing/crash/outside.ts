// The world outside of the processes of a crash test: a file in the folder of the run, to which tools add what they do.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatModel } from "agentchart";
import { scriptedModel, type CrashRun, type ScriptedTurn } from "agentchart/testing";

const fileIn = (folder: string): string => join(folder, "effects");
const own = (): string => fileIn(process.env["AGENTCHART_CRASHTEST"]!);
const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

/** Acts; under a key that was used before it does nothing, as a system that knows idempotency keys. */
export function effect(what: string, key?: string): void {
  const line = key === undefined ? what : `${what} ${key}`;
  if (key === undefined || !linesOf(own()).includes(line)) appendFileSync(own(), `${line}\n`);
}

/** What was done, without the keys. */
export const effects = ({ folder }: CrashRun): readonly string[] =>
  linesOf(fileIn(folder)).map((line) => line.split(" ")[0]!);

/** A model that answers by how many answers the conversation has, so that it goes on in another process. */
export function saying(script: readonly ScriptedTurn[]): ChatModel {
  return {
    name: "says",
    stream: (request, options) => {
      const answers = request.messages.filter(({ role }) => role === "assistant").length;
      return scriptedModel([script[answers] ?? "That is all."]).stream(request, options);
    },
  };
}

const marker = join(process.env["AGENTCHART_CRASHTEST"] ?? ".", "first");
/** True in the first process of a run. */
export const isFirstProcess = process.env["AGENTCHART_CRASHTEST"] === undefined || !existsSync(marker);
if (isFirstProcess && process.env["AGENTCHART_CRASHTEST"] !== undefined) appendFileSync(marker, "");
