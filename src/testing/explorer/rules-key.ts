import type { AgentContext } from "../../../machines/agent/context.ts";

/** The part of the rules that a guard may read: what they remember, and what a call has left. */
export function rulesKey({ settings, progress, calls }: AgentContext): string {
  if (settings.rules === undefined) return "";
  const known = settings.rules.map(({ name }) => {
    const { seen = {}, used = {}, isLost = false } = progress.rules?.[name] ?? {};
    const uses = Object.values(used).map((each) => Object.keys(each).length);
    return `${Object.keys(seen).length}/${uses.join("+")}/${isLost}`;
  });
  const left = calls.map(({ rules }) => `${rules?.maybe ?? ""}${rules?.isUnknown ? "?" : ""}`);
  return `${known.join()} ${left.join()}`;
}
