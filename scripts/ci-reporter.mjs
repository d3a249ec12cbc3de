import { appendFileSync } from "node:fs";

/**
 * A vitest reporter for the plain closing line that CI reads: "N passed, N failed" (", N skipped" if any). The files
 * with a failure are appended to the file that CI_FAILED_FILES names, one `project file` a line.
 */
export default class CiReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const failedFiles = unhandledErrors.map(() => "- unhandled");
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state in count ? state : "failed"] += 1;
      }
      // A file or a suite that fails to load, or whose hook throws, has no failed test of its own.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      if (count.failed > before) failedFiles.push(`${module.project.name} ${module.relativeModuleId}`);
    }
    count.failed += unhandledErrors.length;
    const list = process.env["CI_FAILED_FILES"];
    if (list && failedFiles.length > 0) appendFileSync(list, failedFiles.join("\n") + "\n");
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}
