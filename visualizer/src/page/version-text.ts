import { PROTOCOL } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** Explains a mismatch of protocol versions, and how to resolve it. */
export function versionText(serverVersion: number | undefined): string {
  const versions = t`This page uses protocol version ${PROTOCOL}, the inspector uses ${serverVersion === undefined ? t("another one") : t`version ${serverVersion}`}.`;
  return serverVersion !== undefined && serverVersion > PROTOCOL
    ? t`${versions} The page is older: reload it.`
    : t`${versions} The inspector is older: update agentchart where it runs, restart it and reload the page.`;
}
