import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** The address to which agents report: the hub's URL and its token for workers. */
export type HubAddress = { readonly url: string; readonly token: string };

/** The content of `~/.agentchart/inspect.json`. */
export type AddressFile = {
  /** "http://127.0.0.1:4000" */
  readonly url: string;
  /** The token of pages. */
  readonly token: string;
  /** The token of processes that run agents. */
  readonly workerToken: string;
  /** The process id of the hub. */
  readonly pid: number;
};

/** The path of the file in which a hub publishes its address. */
export function addressFilePath(home: string = homedir()): string {
  return join(home, ".agentchart", "inspect.json");
}

/** Reads the address file; resolves to undefined if it is missing or unreadable. */
export async function readAddressFile(home?: string): Promise<AddressFile | undefined> {
  try {
    const { url, token, workerToken, pid } = JSON.parse(
      await readFile(addressFilePath(home), "utf8"),
    ) as Partial<AddressFile>;
    if (typeof url !== "string" || typeof workerToken !== "string") return undefined;
    return { url, token: token ?? "", workerToken, pid: pid ?? 0 };
  } catch {
    return undefined;
  }
}

/** Options of {@link findHub}: an address, a token, and the home directory of the address file. */
export type HubLocation = { readonly url?: string; readonly token?: string; readonly home?: string };

/**
 * Finds the running hub; resolves to undefined if no address or no token is known yet. The token comes from the
 * options, the environment variable AGENTCHART_INSPECT_TOKEN (only with `url`) or the address file.
 */
export async function findHub({ url, token, home }: HubLocation): Promise<HubAddress | undefined> {
  const own = token ?? (url === undefined ? undefined : process.env["AGENTCHART_INSPECT_TOKEN"]);
  if (url !== undefined && own !== undefined) return { url, token: own };
  const file = await readAddressFile(home);
  if (!file || (url !== undefined && file.url !== url)) return undefined;
  return { url: file.url, token: file.workerToken };
}
