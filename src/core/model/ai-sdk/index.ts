// src/core/model/ai-sdk adapts models of AI SDK providers to the ports of models and embedders, without depending on the AI SDK.
export { aiSdkEmbedder, type AiSdkEmbedderOptions, type AiSdkEmbeddingModel } from "./ai-sdk-embedder.ts";
export { aiSdkModel, type AiSdkModelOptions } from "./ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./sdk-types.ts";
