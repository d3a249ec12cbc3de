import { PROTOCOL } from "../wire/types.ts";

/** Which versions of the wire met, and what to do about it. */
export function versionText(theirs: number | undefined): string {
  const versions = `This page speaks version ${PROTOCOL}, the inspector ${theirs === undefined ? "another one" : `version ${theirs}`}.`;
  return theirs !== undefined && theirs > PROTOCOL
    ? `${versions} The page is the older one: reload it.`
    : `${versions} The inspector is the older one: update agentchart where it runs, start it anew and reload the page.`;
}
