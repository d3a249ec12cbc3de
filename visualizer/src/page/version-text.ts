import { PROTOCOL } from "../wire/types.ts";

/** Explains a mismatch of protocol versions, and how to resolve it. */
export function versionText(serverVersion: number | undefined): string {
  const versions = `This page uses protocol version ${PROTOCOL}, the inspector uses ${serverVersion === undefined ? "another one" : `version ${serverVersion}`}.`;
  return serverVersion !== undefined && serverVersion > PROTOCOL
    ? `${versions} The page is older: reload it.`
    : `${versions} The inspector is older: update agentchart where it runs, restart it and reload the page.`;
}
