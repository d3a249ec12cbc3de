import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, which is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-skills-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file, and the folders that it needs. */
export function write(folder: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Writes the SKILL.md of a skill. */
export function writeSkill(dir: string, name: string, front: string, body = `Do ${name}.`): void {
  write(dir, `${name}/SKILL.md`, `---\n${front}\n---\n\n${body}\n`);
}

/** Writes a skill with a name and a description. */
export function writePlainSkill(dir: string, name: string, more = "", body?: string): void {
  writeSkill(dir, name, `name: ${name}\ndescription: How to do ${name}.${more}`, body);
}
