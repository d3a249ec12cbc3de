import type { AgentEvent, JsonObject, ToolResultBlock, Usage } from "agentchart";
import { planLine } from "./show-plan.ts";
import type { Terminal } from "./terminal.ts";

const LONGEST_INPUT = 160;

function shorten(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The input of a call in one line. */
function formatInput(input: JsonObject): string {
  const entries = Object.entries(input).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return shorten(entries.join(", "), LONGEST_INPUT);
}

/** The line of a finished call: what it came to, and what of it a reader of the terminal wants to know. */
function formatResult({ state, output }: ToolResultBlock): string {
  const text = output.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  if (state !== "success") return shorten(text, LONGEST_INPUT);
  try {
    const { rows: _, tables, ...rest } = JSON.parse(text) as JsonObject;
    return formatInput({ ...rest, ...(Array.isArray(tables) && { tables: tables.length }) });
  } catch {
    return shorten(text, LONGEST_INPUT);
  }
}

/** Tokens of a model call or a turn; a count that is not known is "–". */
export function formatTokens(usage: Usage, isEstimate: boolean): string {
  const { inputTokens, outputTokens, estimated } = usage;
  return `${inputTokens ?? "–"} tokens in, ${outputTokens ?? "–"} out${isEstimate || estimated === true ? " (estimated)" : ""}`;
}

/** Shows a turn as it happens: states, text, tool calls with how long they took, retries. */
export function showEvents(terminal: Terminal, isEstimate: boolean): (event: AgentEvent) => void {
  let state = "";
  return (event) => {
    const plan = planLine(event);
    if (plan !== undefined) terminal.line(plan, "bold");
    if (event.type === "state") {
      const [top = ""] = event.value.split(".");
      if (event.value !== state)
        terminal.line(`${top === state.split(".")[0] ? "  ·" : "●"} ${event.value}`, "dim");
      state = event.value;
    } else if (event.type === "block.delta" && event.kind === "text") {
      terminal.text(event.delta);
    } else if (event.type === "block.start" && event.kind === "text") {
      terminal.line();
    } else if (event.type === "block.end" && event.kind === "text") {
      terminal.endLine();
    } else if (event.type === "block.start" && event.kind === "tool_use") {
      terminal.line(`  asks for ${event.name ?? "a tool"} …`, "dim");
    } else if (event.type === "tool.start") {
      terminal.line(`→ ${event.call.name}  ${formatInput(event.call.input)}`, "cyan");
    } else if (event.type === "tool.end") {
      const { result, durationMs } = event;
      const ok = result.state === "success";
      terminal.line(
        `${ok ? "✓" : "✗"} ${result.name}  ${formatDuration(durationMs)}  ${formatResult(result)}`,
        ok ? "green" : "red",
      );
    } else if (event.type === "retry") {
      const wait = formatDuration(Math.max(0, event.until - event.at));
      terminal.line(`↻ attempt ${event.attempt} is repeated in ${wait}: ${event.error.message}`, "yellow");
    } else if (event.type === "model.end" && event.usage && !event.error) {
      terminal.line(`  ${formatTokens(event.usage, isEstimate)}`, "dim");
    }
  };
}
