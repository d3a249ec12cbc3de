import { t } from "../words/t.ts";
/** The outline of the page while it connects; it appears after a delay. */
export function Skeleton() {
  return (
    <div className="body skeleton" aria-busy="true" aria-label={t("Connecting")}>
      <div className="left" />
      <div className="center">
        <div />
        <div className="bottom" />
      </div>
      <div className="right" />
    </div>
  );
}
