import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** Replaces a panel whose step is not loaded. */
export function MissingStep({ stepNumber }: { readonly stepNumber: number }) {
  const isFile = useModel((all) => all.row?.source === "file");
  const isLoading = useModel((all) => all.isLoading);
  if (stepNumber === 0)
    return <p className="placeholder">{isLoading ? t("Loading …") : t("No steps yet.")}</p>;
  return (
    <p className="placeholder">
      {isFile
        ? t`The file does not contain the data of step ${stepNumber}.`
        : t`Loading step ${stepNumber} …`}
    </p>
  );
}
