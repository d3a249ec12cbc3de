import { useEffect } from "react";
import { Button } from "../parts/button.tsx";
import { prefer, usePreferences } from "../store/preferences.ts";
import { cameraKeys } from "./camera-keys.ts";
import { ViewSwitch } from "./view-switch.tsx";

type Props = {
  readonly scale: number;
  readonly isFit: boolean;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Whether only names are shown; absent where all can be read anyway. */
  readonly isAfar?: boolean;
  /** Shows where the machine stands with all that is written there. */
  readonly enter?: () => void;
};

export function ChartTools({ scale, isFit, fit, zoom, isAfar, enter }: Props) {
  const { follow, visits } = usePreferences();
  useEffect(() => {
    cameraKeys.current = { fit, zoom };
    return () => {
      cameraKeys.current = null;
    };
  });
  return (
    <div className="tools" role="toolbar" aria-label="Chart">
      <ViewSwitch />
      <span className="rule" />
      <Button
        tone="quiet"
        icon="count"
        title="How often and how long each state was active"
        isPressed={visits}
        onClick={() => prefer({ visits: !visits })}
      />
      <Button
        tone="quiet"
        icon="target"
        title="Follow the active state"
        isPressed={follow}
        onClick={() => prefer({ follow: !follow })}
      />
      {enter && (
        <Button
          tone="quiet"
          icon="detail"
          title="The active state with guards, actions and services (or double-click any)"
          isPressed={!isAfar}
          onClick={() => (isAfar ? enter() : fit())}
        />
      )}
      <span className="rule" />
      <Button tone="quiet" icon="minus" title="Smaller (−)" onClick={() => zoom(1 / 1.3)} />
      <button type="button" className="zoom num" title="Show all (0)" onClick={fit}>
        {Math.round(scale * 100)}%
      </button>
      <Button tone="quiet" icon="plus" title="Larger (+)" onClick={() => zoom(1.3)} />
      <Button tone="quiet" icon="fit" title="Show all (0)" isPressed={isFit} onClick={fit} />
    </div>
  );
}
