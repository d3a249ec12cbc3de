import { configError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import type { ChatModel } from "../port.ts";
import { withOptions } from "../request.ts";
import { keyFor, type KeyVariable } from "./api-key.ts";
import { withDashScopeFields } from "./dashscope-fields.ts";
import { openaiModel, type OpenAIModelOptions } from "./openai-model.ts";
import { messageShape } from "./to-chat-messages.ts";
import { urlOfServer } from "./to-chat-request.ts";

/** The URL of each region. A key is valid in its own region only. */
const REGIONS = {
  cn: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  intl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  us: "https://dashscope-us.aliyuncs.com/compatible-mode/v1",
} as const;

const KEY: KeyVariable = {
  name: "DASHSCOPE_API_KEY",
  read: () => process.env["DASHSCOPE_API_KEY"],
  isOwn: (host) => /(^|\.)dashscope[\w-]*\.aliyuncs\.com$/.test(host),
};

/** Options of {@link dashscopeModel}. */
export type DashScopeModelOptions = {
  /** The model's name, such as `qwen-plus`. */
  readonly model: string;
  /** Default: the environment variable `DASHSCOPE_API_KEY`, read when the model is made, and only if the server is one of DashScope's. */
  readonly apiKey?: string | undefined;
  /** The server of DashScope that is asked: `cn` (Beijing, default), `intl` (Singapore) or `us` (Virginia). */
  readonly region?: keyof typeof REGIONS | undefined;
  /** The URL before `/chat/completions`, instead of that of a region. */
  readonly baseURL?: string | undefined;
  /** Whether the model thinks before it answers, and with at most how many tokens; default: as the model does. The option
   *  `thinkingBudget` of a call takes precedence. */
  readonly thinking?: boolean | { readonly budget: number } | undefined;
  /** Whether the model may search the web, or the `search_options` with which it does; default false. */
  readonly search?: boolean | JsonObject | undefined;
} & Pick<
  OpenAIModelOptions,
  "fetch" | "transport" | "name" | "capabilities" | "formatter" | "sendReasoning" | "toolMedia"
>;

const dashscopeSchema = s.lazily(() => {
  const { sendReasoning, toolMedia, formatter } = messageShape();
  return s.options<DashScopeModelOptions>(
    {
      model: s.nonEmpty("the name of a model"),
      apiKey: s.optional(s.secret()),
      region: s.optional(s.oneOf("cn", "intl", "us")),
      baseURL: s.optional(urlOfServer()),
      thinking: s.optional(
        s.either(
          s.boolean(),
          s.options<{ readonly budget: number }>({ budget: s.integer(1) }),
          "true, false or { budget }",
        ),
      ),
      search: s.optional(
        s.either(s.boolean(), s.object<JsonObject>(), "true, false or an object of search_options"),
      ),
      fetch: s.optional(s.func()),
      transport: s.optional(s.oneOf("fetch", "openai")),
      name: s.optional(s.nonEmpty()),
      capabilities: s.optional(s.object()),
      sendReasoning,
      toolMedia,
      formatter,
    },
    { what: 'options, such as { model: "qwen-plus" }' },
  );
});

/**
 * Returns a model of Alibaba's DashScope: {@link openaiModel} with the rules of its compatible mode.
 *
 * A tool choice that it refuses becomes `auto`: `required`, and while it thinks also a named tool. Media in results are sent as text,
 * and sounds as data URLs. Throws `config/invalid` if there is no key.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { dashscopeModel } from "agentchart/openai";
 *
 * const model = dashscopeModel({ model: "qwen-plus", apiKey: "sk-…", thinking: { budget: 2_000 } });
 * const agent = createAgent({ name: "assistant", model });
 * ```
 */
export function dashscopeModel(options: DashScopeModelOptions): ChatModel {
  check(dashscopeSchema(), options, "dashscopeModel");
  const { region = "cn", thinking, search, apiKey: given, baseURL = REGIONS[region], ...rest } = options;
  const apiKey = keyFor("dashscopeModel", { apiKey: given, baseURL }, KEY);
  if (apiKey === undefined)
    throw configError(
      "dashscopeModel needs a key: give `apiKey`, or set DASHSCOPE_API_KEY, which is sent to DashScope only.",
    );
  const inner = openaiModel({
    dialect: "dashscope",
    toolMedia: "text",
    audioData: "url",
    ...rest,
    baseURL,
    apiKey,
  });
  const fields = { ...thinkingFields(thinking), ...searchFields(search) };
  return {
    ...inner,
    ...(inner.wire && {
      wire: { ...inner.wire, options: { ...inner.wire.options, dashscope: fields } },
    }),
    withName: (model) => {
      const { name: _, capabilities: __, ...others } = options;
      return dashscopeModel({ ...others, model });
    },
    stream: (request, call) =>
      inner.stream(withOptions(request, withDashScopeFields(request.options, fields)), call),
  };
}

function thinkingFields(thinking: DashScopeModelOptions["thinking"]): JsonObject {
  if (thinking === undefined) return {};
  if (typeof thinking === "boolean") return { enable_thinking: thinking };
  return { enable_thinking: true, thinking_budget: thinking.budget };
}

function searchFields(search: DashScopeModelOptions["search"]): JsonObject {
  if (!search) return {};
  return { enable_search: true, ...(search !== true && { search_options: search }) };
}
