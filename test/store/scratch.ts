import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Scratch = { readonly dir: string; remove(): void };

/** A new folder, in memory where the system has such a place: these tests are about bytes, not about disks. */
export function scratch(): Scratch {
  const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const dir = mkdtempSync(join(root, "agentchart-store-"));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export type SmallDisk = Scratch & { makeReadOnly(): void };

/** A file system of so many kilobytes; undefined where this process may not mount one. */
export function smallDisk(kilobytes: number): SmallDisk | undefined {
  const { dir, remove } = scratch();
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: "ignore" });
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", dir);
  } catch {
    remove();
    return undefined;
  }
  return {
    dir,
    makeReadOnly: () => run("mount", "-o", "remount,ro", dir),
    remove: () => {
      run("umount", dir);
      remove();
    },
  };
}
