import { useState, type ReactNode } from "react";
import { writeAddress } from "../logic/address.ts";
import { displayedPicture, pngOf, svgText } from "../hand-on/picture.ts";
import { pageFile, withLayouts } from "../hand-on/page-file.ts";
import { ofWholePicture } from "../hand-on/whole-picture.tsx";
import { Button } from "../parts/button.tsx";
import { client } from "../store/client.ts";
import { copy } from "../store/copy.ts";
import { exportRun, save } from "../store/export-run.ts";
import { model } from "../store/model.ts";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

/** Ways to show a run to somebody else. */
export default function HandOnDialog() {
  const [problem, setProblem] = useState("");
  const { row } = model;
  if (!row) return null;
  const isOnServer = client.api !== undefined && row.source !== "file";
  const hasPicture = displayedPicture() !== null;
  const name = `${row.agent}-${row.runId}`;
  const attempt = (act: () => Promise<void>) => (): void => {
    setProblem("");
    act().catch(({ message }: Error) => setProblem(message));
  };
  return (
    <Frame title={t("Hand on")}>
      <div className="inner">
        <h2>{t("Hand on")}</h2>
        <ul className="ways">
          <Way about={t("One file that shows this run at the displayed step, offline and in any browser.")}>
            <Button
              icon="file"
              label={t("Page (HTML)")}
              isDisabled={!isOnServer}
              onClick={attempt(savePage)}
            />
          </Way>
          <Way about={t("The steps of this run, which the inspector opens.")}>
            <Button
              icon="down"
              label={t("Run (NDJSON)")}
              isDisabled={!isOnServer}
              onClick={attempt(exportRun)}
            />
          </Way>
          <Way about={t("The whole map or chart with all its names, in the colors of the page.")}>
            <Button
              icon="map"
              label={t("SVG")}
              isDisabled={!hasPicture}
              onClick={attempt(async () =>
                save(blobOf(await ofWholePicture(svgText), "image/svg+xml"), `${name}.svg`),
              )}
            />
            <Button
              icon="map"
              label={t("PNG")}
              isDisabled={!hasPicture}
              onClick={attempt(async () => save(await pngOf(await ofWholePicture(svgText)), `${name}.png`))}
            />
          </Way>
          <Way about={t("A link to this step, for those who may open this inspector.")}>
            <Button
              icon="link"
              label={t("Copy link")}
              isDisabled={!isOnServer}
              onClick={attempt(() => copy(permalink()))}
            />
          </Way>
        </ul>
        {!isOnServer && (
          <p className="muted">{t("This run is a file already: it can be copied as it is.")}</p>
        )}
        {problem !== "" && (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
      </div>
    </Frame>
  );
}

const blobOf = (text: string, type: string): globalThis.Blob => new Blob([text], { type });

function Way({ about, children }: { readonly about: string; readonly children: ReactNode }) {
  return (
    <li>
      <span className="buttons">{children}</span>
      <span className="muted">{about}</span>
    </li>
  );
}

/** The address of the displayed step: it stays at that step while the run goes on. */
export function permalink(): string {
  const { selection, stepNumber } = model;
  return new URL(writeAddress({ runId: selection.runId, stepNumber }), location.href).href;
}

async function savePage(): Promise<void> {
  const { row, chart, stepNumber } = model;
  if (!row || !client.api) return;
  const [template, run] = await Promise.all([fetch("standalone.html"), client.api.export(row.runId)]);
  if (!template.ok) throw new Error(t("The page that is handed on is not built: run npm run build:page."));
  const text = withLayouts(await run.text(), chart?.layouts);
  const name = `${row.agent}-${row.runId}`;
  const page = pageFile(await template.text(), { name, text, step: stepNumber });
  save(blobOf(page, "text/html"), `${name}.html`);
}
