import { useMemo } from "react";
import { safeText } from "../logic/format.ts";
import { ownReply } from "../logic/own-reply.ts";
import { Icon } from "../parts/icon.tsx";
import type { JsonObject } from "../wire/types.ts";
import { Output } from "./output.tsx";
import { t } from "../words/t.ts";

/** Shows the reply that the caller got, where hooks put it in the place of the answer that is stored. */
export function OwnReply({ context }: { readonly context: JsonObject }) {
  const reply = useMemo(() => ownReply(context), [context]);
  if (!reply) return null;
  const hooks = reply.changedBy!.map((hook) => safeText(hook)).join(", ");
  const output = reply.content.filter((block) => block.type === "text");
  return (
    <section
      className="message"
      data-tone="amber"
      data-testid="own-reply"
      aria-label={t("What the caller got")}
    >
      <header>
        <Icon name="model" />
        <strong>{t("What the caller got")}</strong>
        <span className="badge" data-tone="amber">
          {t("changed by the hook")} {hooks}
        </span>
      </header>
      <Output result={{ type: "tool_result", id: "", name: "", state: "success", output }} />
    </section>
  );
}
