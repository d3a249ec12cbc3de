import { useModel } from "../store/use-model.ts";

/** Replaces a panel whose step is not loaded. */
export function MissingStep({ stepNumber }: { readonly stepNumber: number }) {
  const isFile = useModel((all) => all.row?.source === "file");
  if (stepNumber === 0) return <p className="placeholder">No steps yet.</p>;
  return (
    <p className="placeholder">
      {isFile ? `The file does not contain the data of step ${stepNumber}.` : `Loading step ${stepNumber} …`}
    </p>
  );
}
