import type { AgentContext } from "../../../machines/agent/context.ts";
import type { HooksInput, ModelInput, ReviewInput, ToolInput } from "../../../machines/agent/services.ts";
import { suspensionIn, innerSpent, innerSuspension } from "./asks.ts";
import { written } from "./slots.ts";
import { hookOutcomes } from "./hook-outcomes.ts";
import { toolResult } from "./messages.ts";
import { modelOutcomes } from "./model-outcomes.ts";
import { TICK, type Ending, type Move, type Scene } from "./move.ts";
import { doneEvent, errorEvent, type Service } from "./pure.ts";
import { deskEndings } from "./desk-outcomes.ts";
import { reviewOutcomes } from "./review-outcomes.ts";
import type { World } from "./world.ts";

function toolEndings({ call, attempt, slots, resumed }: ToolInput, { tool, asks }: World): readonly Ending[] {
  const base = { callId: call.id, attempt };
  const { name } = call;
  const success = { ...toolResult(call.id, `attempt ${attempt}`), name };
  const failure = { ...toolResult(call.id, `attempt ${attempt} failed`, "error"), name };
  const round = resumed?.round ?? 0;
  const suspension = asks && (asks === "approvals" ? innerSuspension(round) : suspensionIn(round));
  const spent = asks === "approvals" && { spent: innerSpent(round) };
  const writes = tool.writes && written(slots, `by ${call.id}`);
  return [
    {
      label: "success",
      output: { ...base, result: success, ...spent, ...(writes && { slots: writes }) },
      meaning: { result: success, ...(writes && { writes }) },
    },
    ...(asks === "approvals"
      ? [] // an agent inside of a call always goes on with it
      : [{ label: "suspended", output: { ...base, suspension: { suspended: true } } }]),
    ...(suspension ? [{ label: "suspended, to go on", output: { ...base, ...spent, suspension } }] : []),
    { label: "failure that may be retried", output: { ...base, ...spent, result: failure, retry: true } },
  ];
}

const isGiven = (label: string, { answers }: World): boolean =>
  answers === undefined || answers.includes(label);

/** All outcomes of a service. A service without outcomes here fails the walk. */
function endingsOf(service: Service, world: World, scene: Scene): readonly Ending[] {
  const { src, input } = service;
  const broken: Ending = { label: "breaks", error: new Error("broken") };
  switch (src) {
    case "callModel":
      return [
        ...modelOutcomes(input as ModelInput, scene, world).filter(({ label }) => isGiven(label, world)),
        broken,
      ];
    case "runTool":
      if (world.desk) return deskEndings(input as ToolInput, world.desk, scene);
      return [...toolEndings(input as ToolInput, world), broken];
    case "reviewCalls":
      return [...reviewOutcomes(input as ReviewInput, world, scene), broken];
    case "checkBreakpoints":
      return [
        { label: "none", output: {} },
        { label: "holds", output: { reason: "Breakpoint: state reasoning" } },
        broken,
      ];
    case "runHooks":
      return hookOutcomes(input as HooksInput, scene, world);
    case "commit":
      return [{ label: "done", output: {} }, broken];
    default:
      throw new Error(
        `The explorer knows no outcomes of the service "${src}": add them to src/testing/explorer/outcomes.ts.`,
      );
  }
}

function nameOf({ id, src, input }: Service, { calls }: AgentContext): string {
  if (src === "runHooks") return `${src} ${(input as HooksInput).point}`;
  if (src !== "runTool") return id;
  return `tool ${calls.findIndex(({ call }) => call.id === (input as ToolInput).call.id) + 1}`;
}

/** Every way in which a service that runs may end next. */
export function serviceMoves(services: readonly Service[], world: World, scene: Scene): readonly Move[] {
  const at = scene.context.at + TICK;
  return services.flatMap((service) =>
    endingsOf(service, world, scene).map(({ label, output, error, meaning }): Move => {
      const group = service.src === "runHooks" ? nameOf(service, scene.context) : service.src;
      return {
        label: `${nameOf(service, scene.context)}: ${label}`,
        group: `${group}: ${label}`,
        kind: "service",
        events: [error ? errorEvent(service.id, error) : doneEvent(service.id, { at, ...output })],
        ...(meaning && { meaning }),
      };
    }),
  );
}

/** The timer of the session comes due. */
export function timerMoves(until: number | null, { context }: Scene): readonly Move[] {
  if (until === null) return [];
  const at = Math.max(until, context.at);
  return [{ label: "timer.due", group: "timer.due", kind: "service", events: [{ type: "timer.due", at }] }];
}
