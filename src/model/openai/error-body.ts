import { messageOf } from "../../base/error.ts";
import { isObject } from "../../base/is-object.ts";

/**
 * Returns a response with its error where the `openai` package looks for it, in the field `error` of its body, since the package keeps
 * nothing of other bodies: Mistral, vLLM and Bedrock send the error itself, Gemini a list with it.
 */
export async function withError(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text().catch(messageOf);
  const { status, statusText, headers } = response;
  return new Response(text === "" ? null : inField(text), { status, statusText, headers });
}

function inField(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const found: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(found) || (found === body && Object.hasOwn(found, "error"))) return text;
  return JSON.stringify(Object.hasOwn(found, "error") ? found : { error: found });
}
