import { Icon } from "../parts/icon.tsx";
import { dismiss } from "../store/notices.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const STYLES = {
  info: { tone: "blue", icon: "message" },
  good: { tone: "green", icon: "check" },
  bad: { tone: "red", icon: "warn" },
} as const;

/** The notices at the edge of the page. */
export function Notices() {
  const notices = useModel((all) => all.notices);
  return (
    <div className="notices" role="status" aria-atomic="false">
      {notices.map(({ id, tone, text }) => (
        <div key={id} className="notice" data-tone={STYLES[tone].tone} data-notice={tone}>
          <Icon name={STYLES[tone].icon} />
          <span>{text}</span>
          <button type="button" className="button quiet" aria-label={t("Close")} onClick={() => dismiss(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
