import { AgentError } from "../../core/base/error.ts";
import type { ServerOptions } from "../../server/options.ts";
import { importFile } from "../import-file.ts";

/** The webhooks that a file exports as its default export or by the name `webhooks`; the server checks them. Rejects with `config/invalid`
 *  for a file without any. */
export async function loadWebhooks(file: string): Promise<NonNullable<ServerOptions["webhooks"]>> {
  const module = await importFile(file, "webhooks");
  const webhooks = module["default"] ?? module["webhooks"];
  if (typeof webhooks === "object" && webhooks !== null && Object.keys(webhooks).length > 0)
    return webhooks as NonNullable<ServerOptions["webhooks"]>;
  throw new AgentError(
    "config/invalid",
    `${file} exports no webhooks: use "export default { name: { secrets, agent, input } }".`,
  );
}
