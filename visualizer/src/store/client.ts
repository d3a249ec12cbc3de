import type { Api } from "../wire/api.ts";
import type { Connection } from "../wire/connection.ts";
import type { PageToHub } from "../wire/types.ts";

/** The two ways to the hub; absent in a page that has none. */
export const client: { connection?: Connection; api?: Api } = {};

/** False if there is no connection. */
export function send(message: PageToHub): boolean {
  return client.connection?.send(message) ?? false;
}
