import { toolResultsOf, toolUsesOf, type Msg } from "agentchart";

/**
 * Why a provider would refuse this history (I2), or undefined. Every call has exactly one result, in call order,
 * directly behind the message that asked; a result stands nowhere else; no id comes twice; the system message, if there
 * is one, comes first. `open` are calls that may still lack their result: then nothing but results may stand behind them.
 */
export function historyProblem(
  messages: readonly Msg[],
  open: ReadonlySet<string> = new Set(),
): string | undefined {
  const ids = messages.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `message ${twice} stands there twice`;
  const system = messages.findLastIndex(({ role }) => role === "system");
  if (system > 0) return `message ${system} has the role system`;
  const asked = new Set<string>();
  let index = 0;
  while (index < messages.length) {
    const message = messages[index++]!;
    if (message.content.length === 0) return `message ${message.id} is empty`;
    if (toolResultsOf(message).length > 0)
      return `message ${message.id} answers a call that does not stand before it`;
    const calls = toolUsesOf(message).map(({ id }) => id);
    if (calls.length === 0) continue;
    if (message.role !== "assistant") return `message ${message.id} of a ${message.role} asks for calls`;
    const again = calls.find((id, place) => id === "" || asked.has(id) || calls.indexOf(id) !== place);
    if (again !== undefined) return `call id "${again}" is empty or used twice`;
    calls.forEach((id) => asked.add(id));

    const given: string[] = [];
    for (let next = messages[index]; next && toolResultsOf(next).length > 0; next = messages[++index]) {
      if (next.role !== "tool") return `result message ${next.id} has the role ${next.role}`;
      if (next.content.some(({ type }) => type !== "tool_result"))
        return `message ${next.id} holds more than results`;
      given.push(...toolResultsOf(next).map(({ id }) => id));
    }
    const missing = calls.filter((id) => !given.includes(id));
    const dangling = missing.filter((id) => !open.has(id));
    if (dangling.length > 0) return `calls without result: ${dangling.join(", ")}`;
    const expected = calls.filter((id) => given.includes(id));
    if (given.join() !== expected.join()) return `results ${given.join(", ")} for calls ${calls.join(", ")}`;
    if (missing.length > 0 && index < messages.length)
      return `message ${messages[index]!.id} stands behind open calls`;
  }
  return undefined;
}
