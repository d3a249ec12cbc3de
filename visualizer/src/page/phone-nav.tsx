import { Icon } from "../parts/icon.tsx";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const VIEWS = [
  ["runs", "outline", t("Runs")],
  ["chart", "chart", t("Chart")],
  ["steps", "count", t("Steps")],
  ["details", "message", t("Details")],
] as const;

/** The navigation on a phone, which shows one panel at a time. */
export function PhoneNav() {
  const view = useModel((all) => all.phoneView);
  return (
    <nav className="phone-nav" aria-label={t("Panels")}>
      {VIEWS.map(([name, icon, label]) => (
        <button
          key={name}
          type="button"
          aria-current={view === name}
          onClick={() => model.set({ phoneView: name })}
        >
          <Icon name={icon} />
          {label}
        </button>
      ))}
    </nav>
  );
}
