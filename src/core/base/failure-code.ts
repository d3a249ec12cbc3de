import { causesOf } from "./error.ts";

/** Returns what the system says of a connection that failed, such as `ECONNREFUSED 127.0.0.1:6379`, and else the code of the error. Both
 *  quote no words of a driver, which may hold a connection string. Undefined if there is neither. */
export function failureCode(thrown: unknown): string | undefined {
  const [error = {}] = causesOf(thrown) as object[];
  const { code, syscall, address, port, hostname } = error as { readonly [field: string]: unknown };
  if (typeof code !== "string" || !/^\w{1,40}$/.test(code)) return undefined;
  const host = address ?? hostname;
  if (typeof syscall !== "string" || typeof host !== "string") return code;
  return `${code} ${host}${typeof port === "number" ? `:${port}` : ""}`;
}
