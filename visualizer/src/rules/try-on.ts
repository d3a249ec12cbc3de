import { RuleTrial } from "../../../src/core/tool/rules/trial.ts";
import { client } from "../store/client.ts";
import { model } from "../store/model.ts";
import type { Trial, TriedRule } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** Tries a rule on a run: of a file it is tried here, of other runs by the server, which has all of their steps. */
export async function tryOn(runId: string, rule: TriedRule): Promise<Trial> {
  const file = model.files.get(runId);
  if (!file) {
    if (!client.api) throw new Error(t("There is no connection to a server."));
    return client.api.tryRule(runId, rule);
  }
  const { data } = file;
  const trial = new RuleTrial(rule);
  for (let step = data.first; step <= data.last; step++) {
    const context = data.contextAt(step);
    if (context) trial.add(step, context);
  }
  return { findings: trial.findings, from: data.first, upTo: data.last };
}
