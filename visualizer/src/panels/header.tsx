import { RunStatus } from "./run-status.tsx";
import { Metrics } from "./metrics.tsx";
import { Actions, useActions } from "./run-actions.tsx";
import { parentOf } from "../logic/inner-runs.ts";
import { forkText } from "../logic/fork-label.ts";
import { localTime, shortId } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Logo } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { model, type Model } from "../store/model.ts";
import { compareRuns, select } from "../store/navigate.ts";
import { copy } from "../store/copy.ts";
import { prefer, usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { exportRun } from "../store/export-run.ts";
import { LANGUAGES, language, speak } from "../words/language.ts";
import { t } from "../words/t.ts";

/** The header of the page. */
export function Header() {
  const row = useModel((all) => (all.isAboutRun ? all.row : undefined));
  return (
    <header className="header">
      <div className="brand">
        <Logo />
        <h1>{t("Agentchart")}</h1>
      </div>
      {row && (
        <>
          <div className="where">
            <span className="sep">/</span>
            <strong title={row.agent}>{row.agent}</strong>
            <button
              type="button"
              className="button quiet mono"
              title={t`Copy ${row.runId}`}
              onClick={() => void copy(row.runId)}
            >
              {shortId(row.runId.replace(/^file:/, ""))}
            </button>
            {parentOf(row) && (
              <button
                type="button"
                className="link"
                title={t`Inside of the call ${parentOf(row)!.callId}`}
                onClick={() => select({ runId: parentOf(row)!.runId, stepNumber: null })}
              >
                {t("inside of")} {shortId(parentOf(row)!.runId)}
              </button>
            )}
            {row.startedBy && (
              <span className="quiet">
                {t("started by")} {row.startedBy.schedule} {t("at")}{" "}
                <time dateTime={row.startedBy.tick} title={row.startedBy.tick}>
                  {localTime(Date.parse(row.startedBy.tick))}
                </time>
              </span>
            )}
            {row.forkOf && (
              <button
                type="button"
                className="link"
                title={forkText(row.forkOf)}
                onClick={() => select({ runId: row.forkOf!.runId, stepNumber: null })}
              >
                {t("fork of")} {shortId(row.forkOf.runId)} {t("at")} {row.forkOf.seq}
              </button>
            )}
            {row.forkOf && (
              <button
                type="button"
                className="link"
                title={t("Compare this fork with its original")}
                onClick={() => compareRuns([row.forkOf!.runId, row.runId])}
              >
                {t("compare")}
              </button>
            )}
          </div>
          <RunStatus />
        </>
      )}
      <span className="spacer" />
      {row && <Metrics />}
      {row && <Actions />}
      <PageTools />
      <PhoneMenu />
    </header>
  );
}

/** The language that the switch leads to. */
const OTHER = language === "en" ? "zh" : "en";

const THEMES = { system: "dark", dark: "light", light: "system" } as const;
const THEME_ICONS = { system: "system", dark: "moon", light: "sun" } as const;

const hasStoredRun = ({ row, isAboutRun }: Model): boolean =>
  isAboutRun && row !== undefined && row.source !== "file";
const label = (): void => {
  const { runId } = model.selection;
  if (runId !== null) model.set({ dialog: { kind: "label", runId } });
};

function PageTools() {
  const { theme } = usePreferences();
  const hasRun = useModel(hasStoredRun);
  const hasAny = useModel((all) => all.row !== undefined && all.isAboutRun);
  return (
    <div className="actions page-tools">
      {hasRun && (
        <Button
          tone="quiet"
          icon="down"
          title={t("Export this run as a file")}
          onClick={() => void exportRun()}
        />
      )}
      {hasRun && (
        <Button tone="quiet" icon="check" title={t("Label this run, or make a test of it")} onClick={label} />
      )}
      {hasAny && (
        <Button
          tone="quiet"
          icon="link"
          title={t("Hand on: one HTML file, pictures, a link")}
          onClick={() => model.set({ dialog: { kind: "handOn" } })}
        />
      )}
      <Button
        tone="quiet"
        icon={THEME_ICONS[theme]}
        title={t`Theme: ${t(theme)}`}
        onClick={() => prefer({ theme: THEMES[theme] })}
      />
      <Button tone="quiet" label={LANGUAGES[OTHER]} onClick={() => speak(OTHER)} />
      <Button
        tone="quiet"
        icon="question"
        title={t("Keyboard shortcuts (?)")}
        onClick={() => model.set({ dialog: { kind: "help" } })}
      />
    </div>
  );
}

/** The tools of the page in words, where there is no room for a row of icons. */
function PhoneMenu() {
  const { theme } = usePreferences();
  const hasRun = useModel(hasStoredRun);
  const hasAny = useModel((all) => all.row !== undefined && all.isAboutRun);
  const handOn = (): void => model.set({ dialog: { kind: "handOn" } });
  const { actions, isOpen } = useActions();
  const items = [
    ...(isOpen ? actions.filter(({ isUrgent }) => !isUrgent) : []),
    ...(hasRun ? [{ label: t("Export this run as a file"), onChoose: () => void exportRun() }] : []),
    ...(hasRun ? [{ label: t("Label this run, or make a test of it"), onChoose: label }] : []),
    ...(hasAny ? [{ label: t("Hand on: one HTML file, pictures, a link"), onChoose: handOn }] : []),
    { label: t`Theme: ${t(theme)}`, onChoose: () => prefer({ theme: THEMES[theme] }) },
    { label: LANGUAGES[OTHER], onChoose: () => speak(OTHER) },
    { label: t("Keyboard shortcuts"), onChoose: () => model.set({ dialog: { kind: "help" } }) },
  ];
  return (
    <div className="phone-menu">
      <Menu label={t("More about the page")} items={items} />
    </div>
  );
}
