import * as s from "../base/option-schema.ts";
import type { Group, PermissionAction, Tool, AnyTool, ToolkitOptions } from "./types.ts";

/** The actions that a rule, and a tool for its own calls, may demand for a call. */
export const PERMISSION_ACTIONS: readonly PermissionAction[] = ["allow", "ask", "deny"];

/** The schema of {@link PermissionAction}. */
export const permissionSchema = s.lazily(() => s.oneOf("allow", "ask", "deny"));

/** True for what `defineTool` returns. */
export const isTool = (value: unknown): boolean => {
  const { name, groups } = (value ?? {}) as { readonly [field in keyof Tool]?: unknown };
  return typeof name === "string" && Array.isArray(groups);
};

/** The schema of a tool, as `defineTool` returns it. */
export const toolSchema = s.lazily(() => s.value<AnyTool>(isTool, "a tool that defineTool() returned"));

/** The schema of {@link Group}. */
export const groupSchema = s.lazily(() =>
  s.options<Group>(
    { name: s.nonEmpty(), description: s.optional(s.string()), active: s.optional(s.boolean()) },
    { what: "an object with a `name`" },
  ),
);

/** The schema of {@link ToolkitOptions}. */
export const toolkitSchema = s.lazily(() =>
  s.options<ToolkitOptions<never>>({
    tools: s.optional(s.listOf(toolSchema())),
    groups: s.optional(s.listOf(groupSchema())),
    metaTool: s.optional(s.boolean()),
  }),
);

/** The groups that `setGroups` turns on and off. */
export const groupChangeSchema = s.lazily(() => {
  const names = s.optional(s.listOf(s.string()));
  return s.options<{ readonly activate?: readonly string[]; readonly deactivate?: readonly string[] }>({
    activate: names,
    deactivate: names,
  });
});
