/** Where a link of untrusted text leads; undefined unless that is a page of the web. */
export function linkTarget(address: string): { readonly href: string; readonly host: string } | undefined {
  try {
    const { protocol, host, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? { href, host } : undefined;
  } catch {
    return undefined;
  }
}
