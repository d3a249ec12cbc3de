import { useEffect } from "react";
import { cameraControls } from "../diagram/camera-controls.ts";
import { ViewSwitch } from "../diagram/view-switch.tsx";
import { Button } from "../parts/button.tsx";
import { t } from "../words/t.ts";

type Props = {
  /** 1 where the map is seen as a whole. */
  readonly scale: number;
  readonly isFit: boolean;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Zooms into the active place; absent if there is none, or the chart has no layout. */
  readonly enter?: () => void;
};

/** The toolbar of the map. */
export function MapTools({ scale, isFit, fit, zoom, enter }: Props) {
  useEffect(() => {
    cameraControls.current = { fit, zoom };
    return () => {
      cameraControls.current = null;
    };
  });
  return (
    <div className="tools" role="toolbar" aria-label={t("Map")}>
      <ViewSwitch />
      {enter && (
        <>
          <span className="rule" />
          <Button
            tone="quiet"
            icon="detail"
            title={t("Zoom into the active place (or double-click a card)")}
            onClick={enter}
          />
        </>
      )}
      <span className="rule" />
      <Button tone="quiet" icon="minus" title={t("Zoom out (−)")} onClick={() => zoom(1 / 1.3)} />
      <button type="button" className="zoom num" title={t("Fit to view (0)")} onClick={fit}>
        {Math.round(scale * 100)}%
      </button>
      <Button tone="quiet" icon="plus" title={t("Zoom in (+)")} onClick={() => zoom(1.3)} />
      <Button tone="quiet" icon="fit" title={t("Fit to view (0)")} isPressed={isFit} onClick={fit} />
    </div>
  );
}
