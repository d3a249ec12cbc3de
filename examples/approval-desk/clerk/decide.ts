import { eurosText, findOrder, ORDER_IDS } from "../tools/orders.ts";
import { languageOf } from "./language.ts";
import type { Move, Step, Turn } from "./move.ts";
import { readWish, readWishes, type Wish } from "./wishes.ts";
import { WORDS, type KnownOrder, type Words } from "./words.ts";

const MAX_REASON = 500;

/** What is known of a turn. */
type Known = Turn & { readonly wish: Wish; readonly orderId: string; readonly words: Words };

/**
 * Returns the next answer by rules: look up the order, have a damage checked, request the refund, then report the outcome to the
 * customer. Every amount in it comes from a tool or from the customer, and a call that has a result is never repeated.
 */
export function decide(turn: Turn): Move {
  const { before, said, steps } = turn;
  const language = languageOf([...before, ...said].join(""));
  const words = WORDS[language];
  const wish = readWishes(said);
  const answer = stepOf(steps, "ask_user");
  const orderId =
    wish.orderId ??
    answeredOrder(answer) ??
    before.map((text) => readWish(text).orderId).findLast((id) => id !== undefined);
  if (orderId !== undefined) return aboutOrder({ ...turn, wish, orderId, words });
  if (answer) return { say: words.unanswered };
  const oneOf = ORDER_IDS.map((id) => ({ const: id, title: `${id} · ${findOrder(id)!.item[language]}` }));
  const schema = {
    type: "object",
    properties: { order: { title: words.whichOrderTitle, oneOf } },
    required: ["order"],
  };
  return { say: "", calls: [{ tool: "ask_user", input: { question: words.whichOrder, schema } }] };
}

const stepOf = (steps: readonly Step[], tool: string): Step | undefined =>
  steps.find((step) => step.tool === tool);

function answeredOrder(answer: Step | undefined): string | undefined {
  if (!answer?.isDone) return undefined;
  return (JSON.parse(answer.text) as { readonly order: string }).order;
}

function aboutOrder(known: Known): Move {
  const { steps, words, wish, orderId } = known;
  const lookUp = stepOf(steps, "look_up_order");
  if (!lookUp) return begin(known);
  if (!lookUp.isDone) return abandon(known, lookUp.text);
  const order = JSON.parse(lookUp.text) as KnownOrder;
  const refund = stepOf(steps, "refund");
  if (refund) return end(known, refund);
  if (!wish.wantsMoney) return { say: words.status(order) };
  const left = order.totalCents - order.refundedCents;
  const cents = wish.cents ?? left;
  const status = words.status(order);
  if (left <= 0 || cents > left)
    return abandon(known, status + words.gap + words.refuses(eurosText(cents || order.totalCents)));

  const check = stepOf(steps, "investigate");
  if (wish.isDamaged && !check) {
    const claim = known.said.join("\n");
    return {
      say: status + words.gap + words.investigates,
      calls: [...planned(known, 0, status), { tool: "investigate", input: { orderId, claim } }],
    };
  }
  if (check && !isFinished(known, 1)) return { say: "", calls: planned(known, 1, check.text) };
  const reason = known.said.join(" ").slice(0, MAX_REASON);
  return {
    think: words.weighs(eurosText(left)),
    say: (check ? check.text : status) + words.gap + words.asks(eurosText(cents)),
    calls: [{ tool: "refund", input: { orderId, cents, reason } }],
  };
}

/** Looks the order up; for a damage, with a plan. */
function begin({ wish, orderId, words }: Known): Move {
  const lookUp = { tool: "look_up_order", input: { orderId } };
  const say = words.looksUp(orderId);
  if (!wish.wantsMoney || !wish.isDamaged) return { think: words.readsCase(orderId), say, calls: [lookUp] };
  const { name, description, outcome, steps } = words.plan(orderId);
  const subtasks = steps.map((step) => ({ name: step }));
  return {
    think: words.plansCase(orderId),
    say,
    calls: [
      { tool: "create_plan", input: { name, description, expected_outcome: outcome, subtasks } },
      { tool: "update_subtask_state", input: { subtask_idx: 0, state: "in_progress" } },
      lookUp,
    ],
  };
}

/** Says why nothing more is done, once the plan says so too. */
function abandon({ steps }: Known, why: string): Move {
  if (!stepOf(steps, "create_plan") || stepOf(steps, "finish_plan")) return { say: why };
  return { say: "", calls: [{ tool: "finish_plan", input: { state: "abandoned", outcome: why } }] };
}

/** Says what came of it, once the plan says so too. */
function end(known: Known, refund: Step): Move {
  const { words } = known;
  const { orderId, cents } = (refund.isDone ? JSON.parse(refund.text) : {}) as {
    readonly orderId: string;
    readonly cents: number;
  };
  const outcome = refund.isDone ? words.refunded(eurosText(cents)) : words.notRefunded;
  if (stepOf(known.steps, "create_plan") && !stepOf(known.steps, "finish_plan"))
    return {
      say: "",
      calls: [
        ...planned(known, 2, outcome),
        { tool: "finish_plan", input: { state: refund.isDone ? "done" : "abandoned", outcome } },
      ],
    };
  return { say: refund.isDone ? words.paid(eurosText(cents), orderId) : words.unpaid(refund.text) };
}

const isFinished = ({ steps }: Known, index: number): boolean =>
  steps.some(({ tool, input }) => tool === "finish_subtask" && input["subtask_idx"] === index);

/** The call that ends a step of the plan; none without a plan. */
function planned(known: Known, index: number, outcome: string): NonNullable<Move["calls"]> {
  if (!stepOf(known.steps, "create_plan") || isFinished(known, index)) return [];
  return [{ tool: "finish_subtask", input: { subtask_idx: index, subtask_outcome: outcome } }];
}
