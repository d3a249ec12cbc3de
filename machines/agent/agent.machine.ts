import type { ChartMachine } from "../chart/machine-type.ts";
import { machineOf, slot } from "../chart/xstate-5.ts";
import { agentResolver } from "./agent-chart.ts";
import type { AgentContext } from "./context.ts";
import type { AgentCommand } from "./events.ts";
import { persistence } from "./persistence.ts";
import type {
  BreakInput,
  BreakOutcome,
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
import type { vocabulary } from "./vocabulary.ts";

/** The services that the chart starts, as slots: fill them with `agentMachine.provide({ actors })`. */
export const agentSlots = {
  callModel: slot<ModelOutcome, ModelInput>("callModel"),
  runTool: slot<ToolRunOutcome, ToolInput>("runTool"),
  reviewCalls: slot<ReviewOutcome, ReviewInput>("reviewCalls"),
  checkBreakpoints: slot<BreakOutcome, BreakInput>("checkBreakpoints"),
  runHooks: slot<HooksOutcome, HooksInput>("runHooks"),
  commit: slot<CommitOutcome, CommitInput>("commit"),
};

/** The type of the agent's machine: its guards, actions and actors are those of the chart, by name. */
export type AgentMachine = ChartMachine<AgentContext, AgentCommand, typeof vocabulary, typeof agentSlots>;

/**
 * The agent's chart as a plain XState 5 machine without I/O, made of `machines/agent/states`. Its services are empty slots: fill them
 * with `provide`, which takes guards, actions and actors by name, and throws `config/invalid` for a name that the chart does not have.
 * `getPersistedSnapshot()` returns plain JSON with the whole session; a snapshot that was changed, or is of another machine or version,
 * fails with `session/damaged` or `session/version`.
 */
export const agentMachine: AgentMachine = machineOf<
  AgentContext,
  AgentCommand,
  typeof vocabulary,
  typeof agentSlots
>(agentResolver, agentSlots, { persistence });
