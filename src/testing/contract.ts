import assert from "node:assert/strict";
import { AgentError, type ErrorCode } from "../core/base/error.ts";

/** The test functions of vitest, Jest, Mocha or node:test, with which a contract registers its tests. */
export type TestFramework = {
  /** Defines a group of tests. */
  readonly describe: (name: string, body: () => void) => unknown;
  /** Defines an asynchronous test. */
  readonly test: (name: string, body: () => Promise<void>) => unknown;
};

/** Tests of a contract, by their titles. `Context` is what they work with. */
export type ContractTests<Context> = { readonly [title: string]: (context: Context) => Promise<void> };

/** Registers groups of tests under `name`. `run` sets up the context of a test, runs its body and cleans up. */
export function registerContract<Context>(
  name: string,
  groups: { readonly [group: string]: ContractTests<Context> },
  run: (body: ContractTests<Context>[string]) => Promise<void>,
  { describe, test }: TestFramework,
): void {
  describe(name, () => {
    for (const [group, tests] of Object.entries(groups)) {
      describe(group, () => {
        for (const [title, body] of Object.entries(tests)) test(title, () => run(body));
      });
    }
  });
}

/** Opens what is tested for `body`, and again when that asks for it, and closes all that was opened. */
export async function withOpened<Tested extends { dispose?(): unknown }, Opened extends { close(): unknown }>(
  make: () => Tested | Promise<Tested>,
  openOf: (tested: Tested) => Opened | Promise<Opened>,
  body: (opened: Opened, open: () => Promise<Opened>) => Promise<void>,
): Promise<void> {
  const tested = await make();
  const opened = new Set<Opened>();
  const open = async (): Promise<Opened> => {
    const one = await openOf(tested);
    opened.add(one);
    return one;
  };
  try {
    await body(await open(), open);
  } finally {
    try {
      await Promise.all(Array.from(opened, (each) => each.close()));
    } finally {
      await tested.dispose?.();
    }
  }
}

/** Fails unless the promise rejects with an AgentError of this code. */
export async function rejectsWith(attempt: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(AgentError.is(error), `${String(error)} is not an AgentError`);
    assert.equal(error.code, code);
    return true;
  });
}
