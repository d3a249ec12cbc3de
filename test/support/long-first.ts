import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest. One that began as the last would run alone, with the other processors idle. */
export const LONG: readonly string[] = [
  "test/laws/explorer/explorer.test.ts",
  "test/laws/kill/team.test.ts",
  "test/laws/kill/kill-matrix.test.ts",
  "test/cli/sessions-store.test.ts",
  "examples/data-analyst/test/demo.test.ts",
  "test/laws/chaos/chaos.test.ts",
  "test/cli/sessions-turns.test.ts",
  "test/project/packed.test.ts",
  "test/project/walk.test.ts",
  "test/cli/dev.test.ts",
  "test/bench/smoke.test.ts",
  "test/worker/queue/silent-redis.test.ts",
  "test/e2e/geometry.test.ts",
  "test/e2e/dialogs.test.ts",
  "test/e2e/hostile-file.test.ts",
  "test/e2e/accessibility.test.ts",
  "test/e2e/dev-page.test.ts",
  "test/e2e/control.test.ts",
  "test/diagram/docs-chart.test.ts",
  "test/agent/team/agent-logic-restored.test.ts",
  "test/agent/context/compaction.test.ts",
];

/** The order of Vitest within each project, but for the {@link LONG} files, which begin first: a clone that has not run the tests yet
 *  does not know how long they take. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not that of an array
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((file) => moduleId.endsWith(file));
    return [...byProject.values()].flatMap((all) => [
      ...all.filter(isLong),
      ...all.filter((file) => !isLong(file)),
    ]);
  }
}
