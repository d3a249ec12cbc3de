import { useModel } from "../store/use-model.ts";

/** Instead of a panel whose data is not here. */
export function Nothing({ q }: { readonly q: number }) {
  const isFile = useModel((all) => all.row?.source === "file");
  if (q === 0) return <p className="nothing">Nothing has happened yet.</p>;
  return <p className="nothing">{isFile ? `The file lacks what step ${q} needs.` : `Loading step ${q} …`}</p>;
}
