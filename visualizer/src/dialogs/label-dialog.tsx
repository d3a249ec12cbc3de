import { useEffect, useState, type FormEvent } from "react";
import type { Label } from "../../../src/inspect/labels/labels.ts";
import { ago } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { client } from "../store/client.ts";
import { save } from "../store/export-run.ts";
import { keep, kept } from "../store/kept.ts";
import { model } from "../store/model.ts";
import { notify } from "../store/notices.ts";
import { t } from "../words/t.ts";
import { Frame } from "./frame.tsx";

/** The place where the browser keeps the name of the person. */
const NAME_KEY = "agentchart.name";
const LABELS: readonly string[] = ["right", "wrong", "none"];

type Labels = { readonly labels: readonly Label[]; readonly canAdd: boolean };

/** Shows the labels that people gave the run, with a form that adds one, and makes a test of the run. */
export default function LabelDialog({ runId }: { readonly runId: string }) {
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const [known, setKnown] = useState<Labels>();
  const [problem, setProblem] = useState<string>();
  const [draft, setDraft] = useState({
    label: LABELS[0]!,
    note: "",
    expected: "",
    by: kept(NAME_KEY) ?? "",
  });
  const fail = (error: unknown): void => setProblem((error as Error).message);
  const request = async (to: string, init?: RequestInit): Promise<Response> => {
    if (!client.api) throw new Error(t("The page is not connected."));
    return client.api.request(to, init);
  };
  const load = async (): Promise<void> =>
    setKnown((await (await request(`${path}/labels`)).json()) as Labels);
  useEffect(() => void load().catch(fail), []);
  const set = (change: Partial<typeof draft>): void => setDraft({ ...draft, ...change });
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { label, note, expected, by } = draft;
    keep(NAME_KEY, by);
    try {
      const texts = { ...(note !== "" && { note }), ...(expected !== "" && { expected }) };
      await request(`${path}/labels`, { method: "POST", body: JSON.stringify({ label, by, ...texts }) });
      setDraft({ ...draft, note: "", expected: "" });
      setProblem(undefined);
      await load();
    } catch (error) {
      fail(error);
    }
  };
  const makeTest = async (): Promise<void> => {
    try {
      save(await (await request(`${path}/test`)).blob(), `${runId}.test.ts`);
      notify("good", t("The test imports its agents from ./agents.ts."));
      model.set({ dialog: null });
    } catch (error) {
      fail(error);
    }
  };
  return (
    <Frame title={t("Label this run")}>
      <form onSubmit={(event) => void add(event)}>
        <h2>{t("Label this run")}</h2>
        <ul data-testid="labels">
          {known?.labels.map(({ label, by, at, note, expected }, place) => (
            <li key={place}>
              <strong>{t(label)}</strong> {by}, {ago(at, Date.now())}
              {note !== undefined && `: ${note}`}
              {expected !== undefined && ` (${t("expected")}: ${expected})`}
            </li>
          ))}
        </ul>
        <label>
          {t("This run is")}
          <select
            className="input"
            value={draft.label}
            onChange={({ target }) => set({ label: target.value })}
          >
            {LABELS.map((each) => (
              <option key={each} value={each}>
                {t(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("Why")}
          <textarea
            className="input"
            rows={3}
            value={draft.note}
            onChange={({ target }) => set({ note: target.value })}
          />
        </label>
        <label>
          {t("The right answer")}
          <textarea
            className="input"
            rows={2}
            value={draft.expected}
            onChange={({ target }) => set({ expected: target.value })}
          />
        </label>
        <label>
          {t("Your name")}
          <input className="input" value={draft.by} onChange={({ target }) => set({ by: target.value })} />
        </label>
        {known && !known.canAdd && (
          <p className="muted">
            {t("Only runs of a store can be labelled, unless this server is read-only.")}
          </p>
        )}
        {problem !== undefined && (
          <p className="error" role="alert">
            {problem}
          </p>
        )}
        <div className="actions">
          <Button icon="file" label={t("Make a test of this run")} onClick={() => void makeTest()} />
          <span className="spacer" />
          <Button label={t("Cancel")} onClick={() => model.set({ dialog: null })} />
          <Button
            type="submit"
            tone="good"
            label={t("Save")}
            isDisabled={!known?.canAdd || draft.by.trim() === ""}
          />
        </div>
      </form>
    </Frame>
  );
}
