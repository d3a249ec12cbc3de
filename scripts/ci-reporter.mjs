/** A vitest reporter for the plain closing line that CI reads: "N passed, N failed" (", N skipped" if any). */
export default class CiReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state in count ? state : "failed"] += 1;
      }
      // A file or a suite that fails to load, or whose hook throws, has no failed test of its own.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
    }
    count.failed += unhandledErrors.length;
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}
