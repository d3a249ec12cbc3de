import { messageOf } from "../../base/error.ts";
import type { Hook } from "../../hook/types.ts";
import type { Host } from "./host.ts";

/** Calls a hook that only observes: an error that it throws, or with which its promise rejects, becomes an event. */
export function observe(host: Pick<Host, "emit">, hook: Hook<never>, call: () => unknown): void {
  const failed = (error: unknown): void =>
    host.emit({
      type: "hook.failed",
      hook: hook.name,
      error: { code: "hook/failed", message: messageOf(error) },
    });
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(failed);
  } catch (error) {
    failed(error);
  }
}
