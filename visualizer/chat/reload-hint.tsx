import { useRef, useState } from "react";
import { t } from "../src/words/t.ts";

/** Says that the agents were loaded again since the page has heard of the server first, until it is read. */
export function ReloadHint({ reloads }: { readonly reloads: number }) {
  const first = useRef(reloads);
  const [read, setRead] = useState(reloads);
  if (reloads === read || reloads < first.current) return null;
  return (
    <p className="banner is-reload" role="status">
      {t("The agents were loaded again. The next message runs the new ones.")}
      <button type="button" className="button quiet" onClick={() => setRead(reloads)}>
        {t("OK")}
      </button>
    </p>
  );
}
