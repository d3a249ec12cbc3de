import type { WireToolDelta } from "./wire.ts";

/** Returns the key of the call that a fragment belongs to. */
export type ToolCallKeys = (fragment: WireToolDelta) => number;

type OpenCall = { readonly key: number; id: string; name: string; args: string };

/**
 * Returns a function that keys the fragments of one answer's tool calls. The `index` decides, except where servers misuse it:
 *
 * K1 The same index with another id *and* a name begins a new call (several whole calls, all with index 0).
 * K2 Without an index the id decides; a new id begins a new call, unless it has no name and follows a call without an id.
 * K3 Without index and id, a name begins a call, unless the newest call has this name and its arguments are still
 *    incomplete; a fragment without a name belongs to the newest call.
 */
export function createToolCallKeys(): ToolCallKeys {
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();
  let newest: OpenCall | undefined;
  let calls = 0;

  const find = (index: number | undefined, id: string, name: string): OpenCall | undefined => {
    if (index !== undefined) {
      const call = byIndex.get(index);
      const isOther = call && id !== "" && call.id !== "" && id !== call.id && name !== "";
      return isOther ? byId.get(id) : call;
    }
    if (id !== "") return byId.get(id) ?? (name === "" && newest?.id === "" ? newest : undefined);
    if (name === "") return newest;
    return newest && newest.name === name && !isJson(newest.args) ? newest : undefined;
  };

  return (fragment) => {
    const index = typeof fragment.index === "number" ? fragment.index : undefined;
    const id = fragment.id ?? "";
    const name = fragment.function?.name ?? "";
    const args = fragment.function?.arguments;
    const call = find(index, id, name) ?? { key: calls++, id, name, args: "" };
    if (call.id === "") call.id = id;
    if (name !== "") call.name = name;
    if (index === undefined && args) call.args += typeof args === "string" ? args : JSON.stringify(args);
    if (index !== undefined) byIndex.set(index, call);
    if (call.id !== "") byId.set(call.id, call);
    newest = call;
    return call.key;
  };
}

function isJson(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
