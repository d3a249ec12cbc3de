import type { Point } from "../../../src/core/diagram/svg-path.ts";
import { EDGES, type AgentMap, type EdgeId, type HookEntry } from "./agent-map.ts";
import type { CardId } from "./cards.ts";
import type { Box, PlacedCard, PlacedHook, PlacedLine } from "./placed.ts";

/** The edges that hooks of a point change. */
const EDGE_OF_POINT: { readonly [point: string]: EdgeId } = {
  preCall: "input>prompt",
  preReasoning: "prompt>model",
  preSummary: "prompt>model",
  postReasoning: "model>tools",
  preActing: "model>tools",
  postActing: "tools>prompt",
  postSummary: "model>answer",
  postCall: "model>answer",
};

/** The line of an edge, where its count stands, and where hooks are placed: along a part of it with this much room for names. */
type Route = {
  readonly points: readonly Point[];
  /** Absent where there is no room. */
  readonly label?: Point | undefined;
  /** Absent where hooks are only named in the cards. */
  readonly hooks?: Point | undefined;
  readonly room: number;
};
type Routes = { readonly [edge in EdgeId]?: Route | undefined };

const midX = ({ x, width }: Box): number => x + width / 2;
const right = ({ x, width }: Box): number => x + width;
const bottom = ({ y, height }: Box): number => y + height;
const inside = (y: number, box: Box): number => Math.max(box.y + 14, Math.min(bottom(box) - 14, y));

function straight(from: Point, to: Point): Route {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const isFlat = from[1] === to[1];
  return {
    points: [from, to],
    label: isFlat ? [x, y - 15] : [x + 26, y],
    hooks: [x, y],
    room: isFlat ? 0 : 150,
  };
}

/** A line from side to side that turns in the gap at `x`. Its count stands at `free` if the line passes there: no card is beside that. */
function elbow(from: Point, to: Point, x: number, free = NaN): Route {
  const points: readonly Point[] =
    Math.abs(from[1] - to[1]) < 1 ? [from, to] : [from, [x, from[1]], [x, to[1]], to];
  const middle = points.length === 2 ? (from[0] + to[0]) / 2 : x; // beside it a narrow gap has no room for a count
  const isPassed = Math.min(from[1], to[1]) < free - 12 && free + 12 < Math.max(from[1], to[1]);
  const label: Point = isPassed ? [x - 25, free] : [middle, from[1] - 15];
  return { points, label, hooks: [middle, from[1]], room: 0 };
}

const byId = (cards: readonly PlacedCard[]): ((id: CardId) => PlacedCard | undefined) => {
  const all = new Map(cards.map((card) => [card.id, card]));
  return (id) => all.get(id);
};

/** The edges of a map that runs from left to right, with a channel between its two rows of cards. */
export function edgesOfRow(
  cards: readonly PlacedCard[],
  channel: { readonly top: number; readonly bottom: number },
  map: AgentMap,
  named: ReadonlySet<string>,
): readonly PlacedLine[] {
  const get = byId(cards);
  const [input, prompt, model, answer] = (["input", "prompt", "model", "answer"] as const).map((id) =>
    get(id)!,
  );
  const [tools, agents, people, plan] = [get("tools")!, get("agents"), get("people"), get("plan")];
  const y = input!.y + 16;
  const gap = tools.x - right(model!);
  const high = (channel.bottom - channel.top) / 3;
  const [first, second] = [channel.top + high, channel.top + 2 * high];
  const back = midX(prompt!);
  const out = midX(answer!);
  const modelOut = model!.x + model!.width * 0.22;
  const toolsY = inside(first, tools);
  const beforeTools = tools.x - gap * 0.4;
  const beforeAgents = model!.x - gap * 0.5;
  const routes: Routes = {
    "input>prompt": straight([right(input!), y], [prompt!.x, y]),
    "prompt>model": straight([right(prompt!), y], [model!.x, y]),
    "model>tools": elbow([right(model!), y], [tools.x, inside(y, tools)], tools.x - gap * 0.5),
    "tools>prompt": {
      points: [
        [tools.x, toolsY],
        ...(toolsY === first
          ? []
          : ([
              [beforeTools, toolsY],
              [beforeTools, first],
            ] as const)),
        [back, first],
        [back, bottom(prompt!)],
      ],
      label: [right(model!) + gap / 2, first - 15],
      hooks: [(back + modelOut) / 2, first],
      room: modelOut - back - 44,
    },
    "model>agents": agents && {
      ...straight([midX(model!) + 14, bottom(model!)], [midX(model!) + 14, agents.y]),
      label: [midX(model!) + 38, agents.y - 14],
    },
    "agents>prompt": agents && {
      points: [
        [agents.x, agents.y + 16],
        [beforeAgents, agents.y + 16],
        [beforeAgents, first + 10],
        [back + 16, first + 10],
        [back + 16, bottom(prompt!)],
      ],
      label: undefined,
      room: 0,
    },
    "tools>people": people && straight([midX(people) - 30, bottom(tools)], [midX(people) - 30, people.y]),
    "people>tools": people && straight([midX(people) + 30, people.y], [midX(people) + 30, bottom(tools)]),
    "plan>prompt": plan && straight([plan.x + 28, plan.y], [plan.x + 28, bottom(prompt!)]),
    "model>answer": {
      points: [
        [modelOut, bottom(model!)],
        [modelOut, second],
        [out, second],
        [out, answer!.y],
      ],
      label: [out + 30, second - 15],
      hooks: [(out + back) / 2 + 10, second],
      room: back - out - 30,
    },
  };
  return drawn(routes, map, named);
}

/** The edges of a map in two columns. */
export function edgesOfStack(
  cards: readonly PlacedCard[],
  map: AgentMap,
  named: ReadonlySet<string>,
): readonly PlacedLine[] {
  const get = byId(cards);
  const [input, prompt, model, answer, tools] = (
    ["input", "prompt", "model", "answer", "tools"] as const
  ).map((id) => get(id)!);
  const [agents, people, plan] = [get("agents"), get("people"), get("plan")];
  const x = midX(prompt!);
  const gap = tools!.x - right(model!);
  const gapX = (share: number): number => right(model!) + gap * share;
  const down = (from: Box, to: Box): Route => straight([x, bottom(from)], [x, to.y]);
  const above = (lower: Box, upper: Box): number => (lower.y - bottom(upper) < 66 ? NaN : lower.y - 16); // below a hook's name
  const modelY = model!.y + 16;
  const promptY = prompt!.y + 16;
  const routes: Routes = {
    "input>prompt": down(input!, prompt!),
    "prompt>model": down(prompt!, model!),
    "model>answer": down(model!, answer!),
    "model>tools": elbow(
      [right(model!), modelY],
      [tools!.x, inside(modelY, tools!)],
      gapX(0.5),
      above(model!, prompt!),
    ),
    "tools>prompt": elbow(
      [tools!.x, inside(promptY, tools!)],
      [right(prompt!), promptY],
      gapX(0.5),
      above(prompt!, input!),
    ),
    "model>agents":
      agents && bare(elbow([right(model!), modelY + 12], [agents.x, agents.y + 12], gapX(0.36))),
    "agents>prompt":
      agents && bare(elbow([agents.x, agents.y + 24], [right(prompt!), promptY + 12], gapX(0.66))),
    "tools>people": people && straight([midX(people) - 30, bottom(tools!)], [midX(people) - 30, people.y]),
    "people>tools": people && straight([midX(people) + 30, people.y], [midX(people) + 30, bottom(tools!)]),
    "plan>prompt": plan && bare(elbow([plan.x, plan.y + 16], [right(prompt!), promptY + 12], gapX(0.66))),
  };
  return drawn(routes, map, named);
}

/** An edge without its count, which the card at its end has too. */
const bare = (route: Route): Route => ({ ...route, label: undefined, hooks: undefined });

function drawn(
  routes: Routes,
  { edges, hooks }: AgentMap,
  named: ReadonlySet<string>,
): readonly PlacedLine[] {
  const lines = EDGES.flatMap((id): readonly PlacedLine[] => {
    const route = routes[id];
    if (!route) return [];
    const { points, label } = route;
    const { taken = 0, last = 0 } = edges.get(id) ?? {};
    const placed = hooksOn(id, route, hooks, named);
    const isCovered = points.length === 2 && placed.some(({ room }) => room > 0); // by a name in its middle
    return [{ id, points, label: isCovered ? undefined : label, taken, last, hooks: placed }];
  });
  return lines.toSorted((a, b) => Number(a.label !== undefined) - Number(b.label !== undefined)); // counts lie on lines
}

/** The hooks on an edge: those that changed something, each with its name; else one mark for all of them. */
function hooksOn(
  id: EdgeId,
  { hooks: at, room }: Route,
  all: readonly HookEntry[],
  named: ReadonlySet<string>,
): readonly PlacedHook[] {
  const here = all.filter(({ point }) => EDGE_OF_POINT[point] === id);
  if (here.length === 0 || !at) return [];
  const changed = here.filter(({ changed }) => changed > 0);
  const hook = changed[0] ?? here[0]!;
  return [{ hook, at, room: named.has(hook.point) ? room : 0 }];
}
