import type { Api } from "../wire/api.ts";
import type { Connection } from "../wire/connection.ts";
import type { PageToHub } from "../wire/types.ts";

/** The connection and the API of the server; absent in a page without a token. */
export const client: { connection?: Connection; api?: Api } = {};

/** Sends a message; returns false without a connection. */
export function send(message: PageToHub): boolean {
  return client.connection?.send(message) ?? false;
}
