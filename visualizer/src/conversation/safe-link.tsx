import type { ReactNode } from "react";
import { linkTarget } from "../logic/links.ts";

/** A link that says where it leads; no link at all if it leads anywhere but to the web. */
export function SafeLink({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  const target = linkTarget(address);
  if (!target)
    return (
      <span className="chip">
        {children} ({address.slice(0, 60)})
      </span>
    );
  return (
    <a
      className="chip is-link"
      href={target.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={target.href}
    >
      {children} <small>{target.host}</small>
    </a>
  );
}
