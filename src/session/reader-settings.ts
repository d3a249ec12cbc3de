import { ALL_WHOLE } from "../../machines/agent/prompt/view.ts";
import type { Settings } from "../../machines/agent/settings.ts";

/** The settings with which a session is read without an agent. None of them affects what is read. */
export const READER_SETTINGS: Settings = {
  agent: "",
  sessionId: "",
  system: "",
  maxIters: 10,
  maxGotos: 3,
  maxEmptyRetries: 2,
  parallel: 1,
  onTextWhilePending: "refuse",
  recoverOrphans: true,
  interruptGraceMs: 2_000,
  interruptReply: null,
  model: {},
  hasFallback: false,
  isDurable: true,
  budget: {},
  onBudget: "suspend",
  onChangedAgent: "adopt",
  window: null,
  results: ALL_WHOLE,
  compaction: null,
  handoffs: null,
};
