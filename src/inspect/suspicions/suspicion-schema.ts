import * as s from "../../core/base/option-schema.ts";
import { ANY_SUSPICION } from "../protocol/outcomes.ts";
import type { SuspicionCheck } from "./suspicion.ts";

/** True for the name of a check: "any" stands for all checks in filters. */
const isName = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z][a-z0-9-]{0,59}$/.test(value) && value !== ANY_SUSPICION;

/** The schema of {@link SuspicionCheck}. */
export const suspicionSchema = s.lazily(() =>
  s.options<SuspicionCheck>(
    {
      name: s.value<string>(isName, 'a name of small letters, digits and dashes other than "any"'),
      title: s.nonEmpty(),
      find: s.func("a function of the facts of a run"),
    },
    { what: "an object with `name`, `title` and `find`" },
  ),
);
