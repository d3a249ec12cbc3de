import type { ReactNode } from "react";
import { linkTarget } from "../logic/link-target.ts";

/** A link that shows its target host; only text if the target is not an http or https address. */
export function SafeLink({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  const target = linkTarget(address);
  if (!target)
    return (
      <span className="badge">
        {children} ({address.slice(0, 60)})
      </span>
    );
  return (
    <a
      className="badge is-link"
      href={target.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={target.href}
    >
      {children} <small>{target.host}</small>
    </a>
  );
}
