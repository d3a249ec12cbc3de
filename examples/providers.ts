// The same agent with a model of any provider:
// ANTHROPIC_API_KEY=… npx node --conditions=agentchart-source examples/providers.ts anthropic/claude-sonnet-4-5 "What time is it in Tokyo?"
import { createAgent, defineTool, type ChatModel } from "agentchart";
import { aiSdkModel, type AiSdkLanguageModel } from "agentchart/ai-sdk";
import { dashscopeModel, openaiModel } from "agentchart/openai";
import { z } from "zod";

type MakeModel = (model: string) => ChatModel | Promise<ChatModel>;

/** A provider of the AI SDK, whose package is loaded only if it is asked for. */
const aiSdk =
  (name: string, factory: string, keyName: string): MakeModel =>
  async (model) => {
    const apiKey = keyOf(keyName);
    const loaded = (await import(name).catch(() => {
      throw new Error(`${name} is not installed: npm install ${name}`);
    })) as { readonly [name: string]: (settings: object) => (model: string) => AiSdkLanguageModel };
    return aiSdkModel(loaded[factory]!({ apiKey })(model));
  };

const compatible =
  (baseURL: string, keyName: string): MakeModel =>
  (model) =>
    openaiModel({ model, baseURL, apiKey: keyOf(keyName) });

const PROVIDERS: { readonly [provider: string]: MakeModel } = {
  openai: (model) => openaiModel({ model, api: "responses", apiKey: keyOf("OPENAI_API_KEY") }),
  dashscope: (model) => dashscopeModel({ model }),
  deepseek: compatible("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
  mistral: compatible("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  groq: compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  openrouter: compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  ollama: (model) => openaiModel({ model, baseURL: "http://127.0.0.1:11434/v1" }),
  anthropic: aiSdk("@ai-sdk/anthropic", "createAnthropic", "ANTHROPIC_API_KEY"),
  google: aiSdk("@ai-sdk/google", "createGoogleGenerativeAI", "GOOGLE_GENERATIVE_AI_API_KEY"),
};

function keyOf(name: string): string {
  const key = process.env[name];
  if (!key) throw new Error(`Set ${name}.`);
  return key;
}

const [name = "", question = "What time is it in Tokyo?"] = process.argv.slice(2);
const [provider = "", ...rest] = name.split("/");
const makeModel = PROVIDERS[provider];
if (!makeModel || rest.length === 0) {
  console.error(`Name a model as PROVIDER/MODEL; the providers are ${Object.keys(PROVIDERS).join(", ")}.`);
  process.exit(1);
}

const clock = defineTool({
  name: "clock",
  description: "The time in a time zone such as Asia/Tokyo",
  input: z.object({ timeZone: z.string() }),
  execute: ({ timeZone }) => new Date().toLocaleString("en-GB", { timeZone }),
});

try {
  const agent = createAgent({ name: "clock", model: await makeModel(rest.join("/")), tools: [clock] });
  console.log((await agent.call(question)).text);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
