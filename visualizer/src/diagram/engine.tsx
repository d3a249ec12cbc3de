// What draws the whole chart: it is loaded after the map, which is seen first.
export { ChartLayer } from "../map/chart-layer.tsx";
export { ChartPane } from "./chart-pane.tsx";
export { ChartPicture } from "./chart-picture.tsx";
export { Outline } from "./outline.tsx";
export { StateCaption } from "./state-caption.tsx";
