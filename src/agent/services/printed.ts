import { AgentError } from "../../core/base/error.ts";
import type { AgentEventBody } from "../../core/event/types.ts";
import type { AnyHook, Printed } from "../../core/hook/types.ts";
import type { Block, Msg } from "../../core/message/types.ts";
import type { Position } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";
import { observe } from "./call-hook.ts";

type PrintHost = Pick<Host, "hooks" | "hookEvent" | "emit">;

/** Returns the text that hooks show of a block, each of what those before it have left. Undefined if one has failed: what it hides must not
 *  be shown. */
export function printedText(
  host: PrintHost,
  hooks: readonly AnyHook[],
  { position, signal, ...printed }: Printed & { readonly position: Position; readonly signal: AbortSignal },
): string | undefined {
  let soFar: string | undefined = printed.soFar;
  for (const hook of hooks) {
    if (soFar === undefined) break;
    const event = Object.freeze({ ...host.hookEvent(position, signal), ...printed, soFar });
    let shown: string | undefined;
    observe(host, hook, () => {
      const returned: unknown = hook.print?.(event as never) ?? event.soFar;
      if (returned instanceof Promise) returned.catch(() => {}); // it is refused whatever becomes of it
      if (typeof returned !== "string")
        throw new AgentError(
          "hook/bad-return",
          `print: expected a string or nothing, got a ${typeof returned}`,
        );
      shown = returned;
    });
    soFar = shown;
  }
  return soFar;
}

/** Nothing aborts what is shown of a message that is there. */
const NEVER = new AbortController().signal;

function printedMessage(host: PrintHost, position: Position, message: Msg): Msg {
  const hooks = message.role === "assistant" ? host.hooks().filter(({ print }) => print) : [];
  if (hooks.length === 0) return message;
  const { id: messageId } = message;
  const print = (kind: Printed["kind"], soFar: string): string =>
    printedText(host, hooks, { position, signal: NEVER, messageId, kind, soFar, isLast: true }) ?? "";
  const content = message.content.map((block): Block => {
    if (block.type === "text") return { ...block, text: print("text", block.text) };
    if (block.type === "thinking") return { ...block, thinking: print("thinking", block.thinking) };
    return block;
  });
  return { ...message, content };
}

/** An event as listeners get it: hooks at `print` have changed the texts of its message. */
export function printedEvent(host: PrintHost, position: Position, event: AgentEventBody): AgentEventBody {
  if (event.type === "message") {
    const message = printedMessage(host, position, event.message);
    return message === event.message ? event : { ...event, message };
  }
  if (event.type !== "turn.end" || !event.reply) return event;
  const reply = printedMessage(host, position, event.reply);
  return reply === event.reply ? event : { ...event, reply };
}
