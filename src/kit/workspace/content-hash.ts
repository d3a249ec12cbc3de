import { createHash } from "node:crypto";

/**
 * Returns the SHA-256 of a content, as 64 hexadecimal digits: what `expected` of a write is compared with.
 *
 * @example
 * ```ts
 * import { contentHash, memoryWorkspace } from "agentchart/workspace";
 *
 * const workspace = memoryWorkspace({ files: { "a.txt": "one" } });
 * const expected = contentHash(await workspace.read("a.txt"));
 * await workspace.write("a.txt", new TextEncoder().encode("two"), { expected });
 * ```
 */
export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
