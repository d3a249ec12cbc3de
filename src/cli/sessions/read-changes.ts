import { checkChanges } from "../../session/fork-changes.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { readJson } from "../read-json.ts";

/** Reads the changes of `--edit`. */
export async function readChanges(file: string): Promise<ForkChanges> {
  const changes = (await readJson(file, "The file of --edit")) as ForkChanges;
  checkChanges(changes, "The file of --edit");
  return changes;
}
