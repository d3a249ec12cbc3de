// The agents of a worker are reported as one run a session.
import { inspector } from "agentchart/inspect";
import { expect, onTestFinished, test } from "vitest";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";
import { bench, echoModel } from "../../worker/kit.ts";

test("the agents of a worker report one run per session, with an inspector and with an address", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const { dispatcher } = await bench({
    agents: {
      one: () => ({ name: "one", model: echoModel, inspect }),
      other: () => ({ name: "other", model: echoModel, inspect: hub.workerUrl }),
    },
  });
  const page = await HubPage.open(hub);
  for (const agent of ["one", "other"]) {
    await dispatcher.dispatch(agent, "hello", { agent });
    await dispatcher.dispatch(agent, "again", { agent });
    await expect.poll(() => page.rows.get(agent)?.agent).toBe(agent);
    page.subscribe(agent);
    await expect.poll(() => JSON.stringify(page.contextOf(agent)["messages"])).toContain("echo: again");
    const steps = page.steps.get(agent)!;
    expect(steps.map(({ q }) => q)).toEqual(steps.map((_, index) => index + 1));
  }
});
