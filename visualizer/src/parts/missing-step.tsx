import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** Replaces a panel whose step is not loaded. */
export function MissingStep({ stepNumber }: { readonly stepNumber: number }) {
  const isFile = useModel((all) => all.row?.source === "file");
  if (stepNumber === 0) return <p className="placeholder">{t("No steps yet.")}</p>;
  return (
    <p className="placeholder">
      {isFile
        ? t`The file does not contain the data of step ${stepNumber}.`
        : t`Loading step ${stepNumber} …`}
    </p>
  );
}
