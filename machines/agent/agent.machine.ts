import { machineOf, slot } from "../chart/xstate-5.ts";
import { agentResolver } from "./agent-chart.ts";
import type {
  CommitInput,
  CommitOutcome,
  HooksInput,
  HooksOutcome,
  ModelInput,
  ModelOutcome,
  ReviewInput,
  ReviewOutcome,
  ToolInput,
  ToolRunOutcome,
} from "./services.ts";

/** The services that the chart starts, as slots: fill them with `agentMachine.provide({ actors })`. */
export const agentSlots = {
  callModel: slot<ModelOutcome, ModelInput>("callModel"),
  runTool: slot<ToolRunOutcome, ToolInput>("runTool"),
  reviewCalls: slot<ReviewOutcome, ReviewInput>("reviewCalls"),
  runHooks: slot<HooksOutcome, HooksInput>("runHooks"),
  commit: slot<CommitOutcome, CommitInput>("commit"),
};

/** The agent's chart as an XState machine whose services are empty slots. */
export const agentMachine = machineOf(agentResolver, agentSlots);
