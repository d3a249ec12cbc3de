import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where a hub takes what agents report. */
export type HubAddress = { readonly url: string; readonly token: string };

/** What `~/.agentchart/inspect.json` holds. */
export type AddressFile = {
  /** "http://127.0.0.1:4000" */
  readonly url: string;
  /** Of pages. */
  readonly token: string;
  /** Of processes that run agents. */
  readonly workerToken: string;
  readonly pid: number;
};

/** The file in which a hub says where it is. */
export function addressFile(home: string = homedir()): string {
  return join(home, ".agentchart", "inspect.json");
}

/** What the file says; undefined if there is none or it cannot be read. */
export async function readAddressFile(home?: string): Promise<AddressFile | undefined> {
  try {
    const { url, token, workerToken, pid } = JSON.parse(
      await readFile(addressFile(home), "utf8"),
    ) as Partial<AddressFile>;
    if (typeof url !== "string" || typeof workerToken !== "string") return undefined;
    return { url, token: token ?? "", workerToken, pid: pid ?? 0 };
  } catch {
    return undefined;
  }
}

export type WhereIsHub = { readonly url?: string; readonly token?: string; readonly home?: string };

/** Where the hub is now. Undefined if nobody says, or if its token is not known yet. */
export async function findHub({ url, token, home }: WhereIsHub): Promise<HubAddress | undefined> {
  const own = token ?? (url === undefined ? undefined : process.env["AGENTCHART_INSPECT_TOKEN"]);
  if (url !== undefined && own !== undefined) return { url, token: own };
  const file = await readAddressFile(home);
  if (!file || (url !== undefined && file.url !== url)) return undefined;
  return { url: file.url, token: file.workerToken };
}
