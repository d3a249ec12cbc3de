import { appendFileSync } from "node:fs";

/**
 * A vitest reporter for the plain closing line that CI reads: "N passed, N failed" (", N skipped" if any). The files
 * with a failure are appended to the file that CI_FAILED_FILES names, one `project file` a line, and each failure to
 * the file that CI_FAILURES names, one line with its test and the first line of its error.
 */
export default class CiReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const failedFiles = unhandledErrors.map(() => "- unhandled");
    const failures = unhandledErrors.map((error) => failureLine("unhandled", error));
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state in count ? state : "failed"] += 1;
        if (state === "failed") failures.push(failureLine(placeOf(module, test), test.result().errors[0]));
      }
      // A file or a suite that fails to load, or whose hook throws, has no failed test of its own.
      for (const entity of [module, ...module.children.allSuites()]) {
        count.failed += entity.errors().length;
        for (const error of entity.errors()) failures.push(failureLine(placeOf(module, entity), error));
      }
      if (count.failed > before) failedFiles.push(`${module.project.name} ${module.relativeModuleId}`);
    }
    count.failed += unhandledErrors.length;
    appendLines(process.env["CI_FAILED_FILES"], failedFiles);
    appendLines(process.env["CI_FAILURES"], failures);
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}

const placeOf = (module, entity) =>
  [`${module.project.name} ${module.relativeModuleId}`, entity.fullName].filter(Boolean).join(" > ");

const failureLine = (place, error) =>
  `${place}: ${String(error?.message ?? error)
    .split("\n", 1)[0]
    .slice(0, 300)}`;

function appendLines(file, lines) {
  if (file && lines.length > 0) appendFileSync(file, lines.join("\n") + "\n");
}
