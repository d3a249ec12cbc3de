import { onTestFinished, vi } from "vitest";

/** Makes the imports of this test evaluate their modules anew, and those after it too: the files of the tests share the modules
 *  of their process. What is imported by `import … from` stays as it is. */
export function freshModules(): void {
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
}
