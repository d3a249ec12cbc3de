// Refusals of media, in the words of each provider.
import { describe, expect, test } from "vitest";
import { toModelError } from "../../src/core/model/model-error.ts";

const ENDPOINT = { baseURL: "https://models.test/v1", model: "m-1", secrets: ["sk-1"] };

/** How hosts refuse what is said: the status, and the error of the body. */
const MEDIA: readonly (readonly [host: string, status: number, error: object])[] = [
  [
    "OpenAI, a broken image",
    400,
    {
      message: "You uploaded an unsupported image. Please make sure your image is valid.",
      type: "invalid_request_error",
      param: null,
      code: "image_parse_error",
    },
  ],
  [
    "OpenAI, a format",
    400,
    {
      message:
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      type: "invalid_request_error",
      code: "invalid_image_format",
    },
  ],
  [
    "OpenAI, an address",
    400,
    {
      message: "Error while downloading https://a.b/c.png.",
      type: "invalid_request_error",
      param: "url",
      code: "invalid_image_url",
    },
  ],
  [
    "OpenAI, Responses",
    400,
    {
      message:
        "Invalid 'input[0].content[1].image_url'. Expected a valid URL, but got a value with an invalid format.",
      type: "invalid_request_error",
      param: "input[0].content[1].image_url",
      code: "invalid_value",
    },
  ],
  [
    "OpenAI, base64",
    400,
    { message: "Invalid base64 image_url.", type: "invalid_request_error", code: "invalid_base64" },
  ],
  [
    "OpenAI, no images",
    400,
    {
      message: "Invalid content type. image_url is only supported by certain models.",
      type: "invalid_request_error",
      param: "messages.[0].content.[1].type",
      code: null,
    },
  ],
  [
    "Anthropic, a broken image",
    400,
    {
      message: "messages.0.content.1.image.source.base64.data: Could not process image",
      type: "invalid_request_error",
    },
  ],
  [
    "Anthropic, a large image",
    400,
    {
      message:
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
      type: "invalid_request_error",
    },
  ],
  [
    "Anthropic, many pixels",
    400,
    {
      message:
        "messages.4.content.16.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
      type: "invalid_request_error",
    },
  ],
  [
    "Gemini",
    400,
    {
      message: "Unable to process input image. Please retry or report.",
      status: "INVALID_ARGUMENT",
      code: 400,
    },
  ],
  [
    "Gemini, a type",
    400,
    { message: "Unsupported MIME type: image/svg+xml", status: "INVALID_ARGUMENT", code: 400 },
  ],
  [
    "vLLM",
    400,
    {
      message: "cannot identify image file <_io.BytesIO object at 0x7f>",
      type: "BadRequestError",
      code: 400,
    },
  ],
  [
    "vLLM, an older one",
    500,
    { message: "Failed to load image: cannot identify image file", type: "InternalServerError", code: 500 },
  ],
  [
    "llama.cpp",
    400,
    { message: "Failed to load image or audio file", type: "invalid_request_error", code: 400 },
  ],
  [
    "llama.cpp, no images",
    500,
    {
      message:
        "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
      type: "server_error",
      code: 500,
    },
  ],
  [
    "Ollama",
    500,
    {
      message: "Failed to create new sequence: failed to process inputs: image: unknown format",
      type: "api_error",
    },
  ],
  ["OpenRouter, no images", 404, { message: "No endpoints found that support image input", code: 404 }],
  [
    "Mistral",
    400,
    {
      message: "Image content is not supported for this model",
      type: "invalid_request_prompt",
      code: "3051",
    },
  ],
  ["Groq", 400, { message: "invalid image data", type: "invalid_request_error" }],
  [
    "xAI",
    400,
    {
      message: "Unsupported image format. Only JPEG and PNG are supported.",
      code: "Client specified an invalid argument",
    },
  ],
  [
    "Bedrock",
    400,
    {
      message: "The model returned the following errors: messages.0.content.0: Could not process image",
      type: "ValidationException",
    },
  ],
  [
    "DashScope",
    400,
    {
      message:
        "<400> InternalError.Algo.InvalidParameter: The image length and width do not meet the model restrictions.",
      type: "invalid_request_error",
      code: "invalid_parameter_error",
    },
  ],
];

const FILTERED: readonly (readonly [host: string, status: number, error: object])[] = [
  [
    "Azure",
    400,
    {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
    },
  ],
  [
    "OpenAI",
    400,
    {
      message: "Your request was rejected as a result of our safety system.",
      type: "image_generation_user_error",
      code: "content_policy_violation",
    },
  ],
  [
    "DashScope",
    400,
    {
      message: "Input data may contain inappropriate content.",
      type: "data_inspection_failed",
      code: "data_inspection_failed",
    },
  ],
  ["Zhipu", 400, { message: "系统检测到输入或生成内容可能包含不安全或敏感内容", code: "content_filter" }],
];

const errorOf = (status: number, error: object) =>
  toModelError(
    Object.assign(new Error(JSON.stringify(error)), { status, error, headers: new Headers() }),
    ENDPOINT,
  );

describe("a refusal of what is said", () => {
  test.each(MEDIA)("%s: is one that a request without it may mend", (_, status, error) => {
    const made = errorOf(status, error);
    expect(made).toMatchObject({ code: "model/bad-request", isRetryable: false });
    expect(made.data).not.toHaveProperty("refused");
    expect(made.message).toContain("edit()");
  });

  test.each(FILTERED)("%s: is known as that of a content filter, and names edit", (_, status, error) => {
    const made = errorOf(status, error);
    expect(made).toMatchObject({ code: "model/content-filter", isRetryable: false });
    expect(made.message).toContain("edit()");
  });

  test.each([
    [
      404,
      { message: "The model `m-1` does not exist or you do not have access to it.", code: "model_not_found" },
    ],
    [400, { message: "m-1 is not a valid model ID", code: "model_not_found" }],
    [404, { message: "Not Found" }],
  ])("%i of a wrong name is none", (status, error) => {
    expect(errorOf(status, error).toJSON()).toMatchObject({
      code: "model/bad-request",
      data: { refused: "model" },
    });
  });

  test.each([
    [500, { message: "The server had an error while processing your request." }],
    [503, { message: "Overloaded. Please retry." }],
  ])("%i of a server that fails is none", (status, error) => {
    expect(errorOf(status, error)).toMatchObject({ code: "model/unavailable", isRetryable: true });
  });
});
