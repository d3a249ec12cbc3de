import { messageOf } from "../../base/error.ts";
import { parsedJson, isObject } from "../../base/json.ts";
import { RefusalError } from "../wire-error.ts";

/**
 * Returns a response with its error where the `openai` package looks for it, in the field `error` of its body. The package retains nothing
 * of other bodies: Mistral, vLLM and Bedrock send the error itself, Gemini a list with it.
 */
export async function withError(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text().catch(messageOf);
  const { status, statusText, headers } = response;
  return new Response(text === "" ? null : inField(text), { status, statusText, headers });
}

/** Returns the error of a response with a status of failure, wherever its body has it. */
export async function refusalOf(response: Response): Promise<RefusalError> {
  const text = await response.text().catch(messageOf);
  const body = parsedJson(text);
  const found: unknown = Array.isArray(body) && isObject(body[0]) ? body[0] : body;
  const error =
    typeof found === "object" ? ((found as { readonly error?: unknown } | null)?.error ?? found) : null;
  return new RefusalError(response, error ?? undefined, body ? "" : text);
}

function inField(text: string): string {
  const body = parsedJson(text);
  const found: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(found) || (found === body && Object.hasOwn(found, "error"))) return text;
  return JSON.stringify(Object.hasOwn(found, "error") ? found : { error: found });
}
