// src/kit/skills lets an agent load instructions when it needs them: folders of skills, and the AGENTS.md files of a workspace.
export { loadedSlot, skillWarningsSlot } from "./loaded.ts";
export type { LoadedSkill } from "./loaded.ts";
export type { Skill } from "./skill.ts";
export { skills } from "./skills.ts";
export type { SkillsOptions } from "./skills.ts";
export { workspaceContext } from "./workspace.ts";
export type { WorkspaceContextOptions } from "./workspace.ts";
