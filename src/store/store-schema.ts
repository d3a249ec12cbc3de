import * as s from "../core/base/option-schema.ts";
import type { SessionStore } from "./port.ts";

/** The schema of a session store, which is known by a method. */
export const storeSchema = s.lazily(() =>
  s.having<SessionStore>("load", "a SessionStore, such as fileStore({ dir })"),
);
