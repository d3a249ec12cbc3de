export { scriptedModel } from "./scripted-model.ts";
export type { ScriptedModel, ScriptedTurn } from "./scripted-model.ts";
