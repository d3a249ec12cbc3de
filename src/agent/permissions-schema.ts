import * as s from "../base/option-schema.ts";
import { permissionSchema } from "../tool/tool-schema.ts";
import type { Permissions } from "./agent-config.ts";

/** The schema of {@link Permissions}. */
export const permissionsSchema = s.lazily(() => {
  const action = permissionSchema();
  const rule = s.options<NonNullable<Permissions["rules"]>[number]>({
    tool: s.nonEmpty(),
    action,
    when: s.optional(s.func()),
    reason: s.optional(s.string()),
    optional: s.optional(s.boolean()),
  });
  return s.options<Permissions>(
    {
      rules: s.optional(s.listOf(rule)),
      otherwise: s.optional(action),
      expiresAfterMs: s.optional(s.positive()),
    },
    { what: "an object such as { rules: […] }" },
  );
});
