import type { Size } from "../diagram/camera.ts";
import type { AgentMap } from "./agent-map.ts";
import { cardsOf, type Card, type CardId } from "./cards.ts";
import { edgesOfRow, edgesOfStack } from "./map-edges.ts";
import type { Box, MapLayout, PlacedCard, PlacedLine } from "./placed.ts";
import type { Row } from "./rows.ts";

/** Heights of the parts of a card, px. */
export const HEAD = 32;
/** The height of a row that is clicked: as much as a finger needs at least. */
export const ITEM = 24;
const TEXT = 18;
const GAUGE = 24;
const FOOT = 8;
const MARGIN = 14;
/** The least width at which a turn runs from left to right. */
const WIDE = 760;
/** The room between the cards of a column. */
const SPACE = 28;
/** The most room between the cards of the turn where it runs downwards. */
const LONGEST = 110;
/** The room between rows of cards in which edges run back. */
const CHANNEL = 62;

const rowHeight = ({ kind }: Row): number => (kind === "text" ? TEXT : kind === "gauge" ? GAUGE : ITEM);
const heightOf = (rows: readonly Row[]): number =>
  HEAD + rows.reduce((sum, row) => sum + rowHeight(row), 0) + (rows.length > 0 ? FOOT : 0);

/** The points whose hooks are named on edges, where these are long. */
const NAMED_IN_ROW = new Set(["postActing", "postCall"]);
const NAMED_IN_STACK = new Set(["preCall", "postCall"]);

/** The widths that the four columns need at least, and have at most, from left to right, px. */
const [LEAST_WIDTHS, MOST_WIDTHS] = [
  [112, 160, 156, 188],
  [150, 230, 220, 330],
];
const MOST_GAP = 72;

/**
 * Lays out a map for a view, in which each text is as large as it is designed: what has no room is folded, never made smaller. The
 * picture is as large as the view, or higher if lists were opened. `widths`: of the columns, at most.
 */
export function layOutMap(
  map: AgentMap,
  view: Size,
  opened: ReadonlySet<string>,
  widths: readonly number[] = MOST_WIDTHS,
): MapLayout {
  return view.width >= WIDE ? rowLayout(map, view, opened, widths) : stackLayout(map, view, opened);
}

/** The characters beside a name: the marks of its row. */
const MARKS = 24;

/** Lays out a map as large as it must be to have all rows and the whole names of tools and sub-agents. */
export function layOutWhole(map: AgentMap): MapLayout {
  const named = [...map.tools, ...map.agents];
  const longest = Math.max(0, ...named.map(({ name, agent }) => (agent ?? name).length));
  const widths = MOST_WIDTHS.map((most, at) => (at < 2 ? most : Math.max(most, (longest + MARKS) * LETTER)));
  const width = widths.reduce((sum, each) => sum + each, 3 * MOST_GAP + 2 * MARGIN);
  return layOutMap(map, { width, height: LEAST_HEIGHT + named.length * ITEM }, new Set(), widths);
}

/** The width of a letter of a name, and the height of a map without lists, px. */
const [LETTER, LEAST_HEIGHT] = [7.4, 640];

const MANY = 1_000;

/** Cards with all rows that they could have, by id. */
function allCards(
  map: AgentMap,
  opened: ReadonlySet<string>,
  named: ReadonlySet<string>,
  room?: { readonly tools: number; readonly agents: number },
) {
  const cards = cardsOf(map, {
    opened,
    named,
    toolRows: room?.tools ?? MANY,
    agentRows: room?.agents ?? MANY,
  });
  return new Map(cards.map((card) => [card.id, card]));
}

/** The cards of a column from above, without the rows that have no room in it: those of the highest rank go first. */
function fitted(cards: readonly (Card | undefined)[], height: number, gap: number): readonly Card[] {
  const all = cards.filter((card) => card !== undefined);
  const free = height - gap * Math.max(0, all.length - 1);
  const high = (list: readonly Card[]): number => list.reduce((sum, { rows }) => sum + heightOf(rows), 0);
  let now = all;
  while (high(now) > free) {
    const worst = Math.max(0, ...now.flatMap(({ rows }) => rows.map(({ rank }) => rank)));
    const from = now.findLastIndex(({ rows }) => rows.some(({ rank }) => rank === worst));
    if (worst === 0 || from < 0) break;
    now = now.map((card, index) => {
      if (index !== from) return card;
      const last = card.rows.findLastIndex(({ rank }) => rank === worst);
      return { ...card, rows: card.rows.toSpliced(last, 1) };
    });
  }
  return now;
}

function place(card: Card, box: Omit<Box, "height">): PlacedCard {
  let y = HEAD;
  const placed = card.rows.map((row) => {
    const at = { ...row, y };
    y += rowHeight(row);
    return at;
  });
  return { ...card, ...box, height: heightOf(card.rows), placed };
}

/** Returns the rows that lists may have in a height that they share: the sub-agents get up to a third of it. */
function listRows(
  map: AgentMap,
  height: number,
  above: number,
): { readonly tools: number; readonly agents: number } {
  const { tools, agents } = map;
  const heads = HEAD + FOOT + (agents.length > 0 ? HEAD + FOOT + SPACE : 0);
  const rows = Math.max(agents.length > 0 ? 2 : 1, Math.floor((height - heads) / ITEM) - above);
  if (agents.length === 0) return { tools: rows, agents: 0 };
  const least = Math.max(1, Math.floor(rows / 3));
  const forAgents = Math.min(agents.length, Math.max(least, rows - tools.length));
  return { tools: Math.max(1, rows - forAgents), agents: forAgents };
}

const hooksIn = (card: Card | undefined): number =>
  card?.rows.filter(({ id }) => id?.startsWith("hook:")).length ?? 0;

const columnHeight = (cards: readonly Card[]): number =>
  cards.reduce((sum, { rows }) => sum + heightOf(rows) + SPACE, -SPACE);

/** Places cards one below the other. */
function column(
  cards: readonly Card[],
  x: number,
  width: number,
  top: number,
  gap: number,
): readonly PlacedCard[] {
  let y = top;
  return cards.map((card) => {
    const placed = place(card, { x, y, width });
    y += placed.height + gap;
    return placed;
  });
}

/** From left to right: input, prompt, model and tools with the people who decide; below them the answer, the plan and the sub-agents. */
function rowLayout(
  map: AgentMap,
  { width, height }: Size,
  opened: ReadonlySet<string>,
  widths: readonly number[],
): MapLayout {
  const inner = height - 2 * MARGIN;
  const whole = allCards(map, opened, NAMED_IN_ROW);
  const least = (id: CardId, rank: number): number => {
    const card = whole.get(id);
    return card ? heightOf(card.rows.filter((row) => row.rank <= rank)) : 0;
  };
  const upperLeast = Math.max(least("prompt", 1), least("model", 1));
  const agentRows = Math.max(2, Math.floor((inner - CHANNEL - upperLeast - HEAD - FOOT) / ITEM));
  const peopleHeight = whole.has("people") ? least("people", 1) + SPACE : 0;
  const toolRows = Math.max(
    1,
    Math.floor((inner - peopleHeight - HEAD - FOOT) / ITEM) - hooksIn(whole.get("tools")),
  );
  const cards = allCards(map, opened, NAMED_IN_ROW, { tools: toolRows, agents: agentRows });
  const get = (id: CardId): Card | undefined => cards.get(id);
  const lower = [get("answer"), get("plan"), get("agents")];
  const lowest = Math.max(
    ...lower.map((card) => (card ? heightOf(card.rows.filter(({ rank }) => rank < 2)) : 0)),
  );
  const room = Math.max(HEAD, inner - CHANNEL - lowest);
  const upper = [get("input"), get("prompt"), get("model")].map((card) => fitted([card], room, 0)[0]!);
  const upperHeight = Math.max(...upper.map(({ rows }) => heightOf(rows)));
  const rest = inner - CHANNEL - upperHeight;
  const below = lower.map((card) => card && fitted([card], Math.max(rest, HEAD), 0)[0]);
  const belowHeight = Math.max(...below.map((card) => (card ? heightOf(card.rows) : 0)));
  const spare = Math.max(0, rest - belowHeight);
  const wider = Math.min(spare / 3, 36);
  const top = MARGIN + (spare - wider) / 2;
  const floor = top + upperHeight + CHANNEL + wider;

  const { columns, gap } = columnWidths(width - 2 * MARGIN, widths);
  const xs = columns.map((_, at) => MARGIN + columns.slice(0, at).reduce((sum, each) => sum + each + gap, 0));
  const at = (index: number, y: number): Omit<Box, "height"> => ({
    x: xs[index]!,
    y,
    width: columns[index]!,
  });
  const lists = fitted([get("tools"), get("people")], inner, SPACE);
  const listsHeight = columnHeight(lists);
  const listTop = Math.max(MARGIN, Math.min(top, MARGIN + inner - listsHeight));
  const placed = [
    ...upper.map((card, index) => place(card, at(index, top))),
    ...below.flatMap((card, index) => (card ? [place(card, at(index, floor))] : [])),
    ...column(lists, xs[3]!, columns[3]!, listTop, SPACE),
  ];
  const channel = { top: top + upperHeight, bottom: floor };
  return finished(placed, { width, height }, edgesOfRow(placed, channel, map, NAMED_IN_ROW));
}

/** The widths of the four columns, and of the gaps between them. */
function columnWidths(
  width: number,
  most: readonly number[],
): { readonly columns: readonly number[]; readonly gap: number } {
  const gap = Math.min(MOST_GAP, Math.max(30, width * 0.055));
  const free = width - 3 * gap - LEAST_WIDTHS.reduce((sum, each) => sum + each, 0);
  const wish = most.map((each, index) => each - LEAST_WIDTHS[index]!);
  const all = wish.reduce((sum, each) => sum + each, 0);
  const share = Math.max(-0.25, Math.min(1, free / all));
  const columns = LEAST_WIDTHS.map((each, index) => each + wish[index]! * share);
  const left = width - 3 * gap - columns.reduce((sum, each) => sum + each, 0);
  return { columns, gap: gap + Math.max(0, left / 3) };
}

/** Two columns: from input to answer downwards, and beside them the tools, the people, the sub-agents and the plan. */
function stackLayout(map: AgentMap, { width, height }: Size, opened: ReadonlySet<string>): MapLayout {
  const inner = height - 2 * MARGIN;
  const gap = Math.min(64, Math.max(40, width * 0.1)); // a count stands beside the lines that turn in it
  const left = Math.min(220, Math.max(140, (width - 2 * MARGIN - gap) * 0.46));
  const right = width - 2 * MARGIN - gap - left;
  const whole = allCards(map, opened, NAMED_IN_STACK);
  const others = [whole.get("people"), whole.get("plan")].filter((card) => card !== undefined);
  const othersHeight = others.reduce(
    (sum, { rows }) => sum + heightOf(rows.filter(({ rank }) => rank < 2)) + SPACE,
    0,
  );
  const cards = allCards(
    map,
    opened,
    NAMED_IN_STACK,
    listRows(map, inner - othersHeight, hooksIn(whole.get("tools"))),
  );
  const get = (id: CardId): Card | undefined => cards.get(id);
  const main = fitted([get("input"), get("prompt"), get("model"), get("answer")], inner, SPACE);
  const mainHeight = main.reduce((sum, { rows }) => sum + heightOf(rows), 0);
  const step = Math.max(SPACE, Math.min(LONGEST, (inner - mainHeight) / 3));
  const lists = fitted([get("tools"), get("people"), get("agents"), get("plan")], inner, SPACE);
  const high = Math.max(mainHeight + 3 * step, columnHeight(lists));
  const top = MARGIN + Math.max(0, inner - high) / 2;
  const placed = [
    ...column(main, MARGIN, left, top, step),
    ...column(lists, MARGIN + left + gap, right, top, SPACE),
  ];
  return finished(placed, { width, height }, edgesOfStack(placed, map, NAMED_IN_STACK));
}

function finished(cards: readonly PlacedCard[], view: Size, lines: readonly PlacedLine[]): MapLayout {
  const bottom = Math.max(...cards.map(({ y, height }) => y + height)) + MARGIN;
  return { cards, lines, width: view.width, height: Math.max(view.height, bottom) };
}
