import { useEffect, useState } from "react";

/** What the page shows: a case, the form of a new one, or only the list. */
export type Address = { readonly at: "case"; readonly id: string } | { readonly at: "new" | "list" };

function readAddress(): Address {
  const [, caseId] = /^#case\/(.+)$/.exec(location.hash) ?? [];
  if (caseId !== undefined) return { at: "case", id: decodeURIComponent(caseId) };
  return { at: location.hash === "#new" ? "new" : "list" };
}

/** The link to what an address says. */
export function linkTo(address: Address): string {
  return address.at === "case"
    ? `#case/${encodeURIComponent(address.id)}`
    : address.at === "new"
      ? "#new"
      : "#";
}

/** The address in the address bar, so that a reload and the way back work. */
export function useAddress(): Address {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const change = (): void => setAddress(readAddress());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return address;
}
