import { memo, type CSSProperties } from "react";
import { MapCard, type Pick } from "./map-card.tsx";
import type { MapLayout, PlacedCard } from "./placed.ts";
import { MapLine } from "./map-lines.tsx";

type Props = {
  readonly layout: MapLayout;
  readonly stepNumber: number;
  readonly picked: string;
  readonly pick: Pick;
  readonly enter: (card: PlacedCard) => void;
  readonly openRun: (runId: string) => void;
  /** The share of its way through the map that the chart has come, from 0 to 1. */
  readonly depth: number;
};

/** All cards and edges of the map. */
export const MapPicture = memo(function MapPicture(props: Props) {
  const { layout, stepNumber, picked, pick, enter, openRun, depth } = props;
  const fade = depth > 0 ? ({ opacity: Math.max(0, 1 - depth * 1.6) } as CSSProperties) : undefined;
  return (
    <g style={fade}>
      {layout.lines.map((line) => (
        <MapLine
          key={line.id}
          line={line}
          isNew={line.taken > 0 && line.last === stepNumber}
          picked={picked}
          pick={pick}
        />
      ))}
      {layout.cards.map((card) => (
        <MapCard key={card.id} card={card} picked={picked} pick={pick} enter={enter} openRun={openRun} />
      ))}
    </g>
  );
});
