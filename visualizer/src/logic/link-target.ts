/** The target of a link in untrusted text; undefined unless it is an http or https address. */
export function linkTarget(address: string): { readonly href: string; readonly host: string } | undefined {
  try {
    const { protocol, host, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? { href, host } : undefined;
  } catch {
    return undefined;
  }
}
