import { useEffect } from "react";
import { Button } from "../parts/button.tsx";
import { prefer, usePreferences } from "../store/preferences.ts";
import { cameraControls } from "./camera-controls.ts";
import { ViewSwitch } from "./view-switch.tsx";
import { t } from "../words/t.ts";

type Props = {
  readonly scale: number;
  readonly isFit: boolean;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Whether only names are displayed; absent if everything is readable. */
  readonly isOverview?: boolean;
  /** Zooms to the active state. */
  readonly enter?: () => void;
};

/** The toolbar of the chart. */
export function ChartTools({ scale, isFit, fit, zoom, isOverview, enter }: Props) {
  const { follow, visits } = usePreferences();
  useEffect(() => {
    cameraControls.current = { fit, zoom };
    return () => {
      cameraControls.current = null;
    };
  });
  return (
    <div className="tools" role="toolbar" aria-label={t("Chart")}>
      <ViewSwitch />
      <span className="rule" />
      <Button
        tone="quiet"
        icon="count"
        title={t("Show visit counts and times")}
        isPressed={visits}
        onClick={() => prefer({ visits: !visits })}
      />
      <Button
        tone="quiet"
        icon="target"
        title={t("Follow the active state")}
        isPressed={follow}
        onClick={() => prefer({ follow: !follow })}
      />
      {enter && (
        <Button
          tone="quiet"
          icon="detail"
          title={t("Zoom to the active state (or double-click a state)")}
          isPressed={!isOverview}
          onClick={() => (isOverview ? enter() : fit())}
        />
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
