import { sourceTitle, sourcesOf } from "../../../src/core/message/msg.ts";
import type { Msg as StoredMsg } from "../../../src/core/message/types.ts";
import { safeText } from "../logic/format.ts";
import type { Msg } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** Shows the sources that hooks have shown to the model, or tools have found, as a message names them; nothing for most messages. */
export function Sources({ message }: { readonly message: Msg }) {
  const sources = sourcesOf([message as unknown as StoredMsg]);
  if (sources.length === 0) return null;
  return (
    <p className="muted">
      {t("Sources:")} {sources.map((each) => safeText(sourceTitle(each))).join(" · ")}
    </p>
  );
}
