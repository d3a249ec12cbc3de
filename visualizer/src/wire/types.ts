export type {
  Ack,
  ChartMessage,
  Command,
  HubToPage,
  PageToHub,
  Path,
  PatchOp,
  PendingItem,
  RunFileHeader,
  RunRow,
  Step,
  StepPage,
  StreamDelta,
  WorkerRow,
} from "../../../src/inspect/protocol.ts";
export { NO_HELLO, PROTOCOL } from "../../../src/inspect/protocol.ts";
export type { Chart, ChartEdge, ChartNode } from "../../../src/chart/chart-json.ts";
export type { Layout, Layouts, PlacedEdge, PlacedNode } from "../../../src/layout/layout.ts";
export type {
  Block,
  Json,
  JsonObject,
  Msg,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "../../../src/message/types.ts";
export type { Decision } from "../../../src/turn/pending.ts";
export type { CallRecord } from "../../../src/turn/context.ts";
