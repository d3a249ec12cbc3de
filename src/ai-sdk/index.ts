// src/ai-sdk adapts language models of AI SDK providers to the model port, without depending on the AI SDK.
export { aiSdkModel, type AiSdkModelOptions } from "./ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./sdk-types.ts";
