import { useState } from "react";
import { curlOf } from "../logic/curl.ts";
import { Button } from "../parts/button.tsx";
import { client } from "../store/client.ts";
import { copy } from "../store/copy.ts";
import type { PromptLens, WireRequest } from "../wire/types.ts";
import { FoldedJson } from "./folded-text.tsx";
import { t } from "../words/t.ts";

type Answer = { readonly raw: WireRequest } | { readonly problem: string } | "loading" | undefined;

/** The request as the adapter of the model makes it, without secrets, on demand. */
export function RawRequest({ lens }: { readonly lens: PromptLens }) {
  const [answer, setAnswer] = useState<Answer>();
  const ask = async (): Promise<void> => {
    if (!client.api)
      return setAnswer({ problem: t("The page is not connected: the server of the inspector makes it.") });
    setAnswer("loading");
    setAnswer(await client.api.rawRequest(lens).catch(({ message }: Error) => ({ problem: message })));
  };
  return (
    <section aria-labelledby="prompt-raw" data-testid="raw-request">
      <h3 id="prompt-raw">{t("Raw request")}</h3>
      {(answer === undefined || answer === "loading") && (
        <Button
          label={answer === "loading" ? t("Loading …") : t("Show the raw request")}
          isDisabled={answer === "loading"}
          onClick={() => void ask()}
        />
      )}
      {typeof answer === "object" &&
        ("raw" in answer ? (
          <Raw raw={answer.raw} />
        ) : (
          <>
            <p className="error" role="alert">
              {answer.problem}
            </p>
            <Button label={t("Try again")} onClick={() => void ask()} />
          </>
        ))}
    </section>
  );
}

function Raw({ raw }: { readonly raw: WireRequest }) {
  const { url, headers, body, notes } = raw;
  const curl = curlOf(raw);
  return (
    <>
      {url !== undefined && (
        <p className="mono raw-url">
          {t("POST")} {url}
        </p>
      )}
      <ul className="mono raw-headers">
        {Object.entries(headers).map(([name, value]) => (
          <li key={name}>
            {name}: {value}
          </li>
        ))}
      </ul>
      <FoldedJson value={body} />
      <p className="muted">{[t("Keys and other secrets are left out."), ...notes].join(" ")}</p>
      <p className="raw-actions">
        <Button label={t("Copy the body")} onClick={() => void copy(JSON.stringify(body))} />
        {curl !== undefined && <Button label={t("Copy as curl")} onClick={() => void copy(curl)} />}
      </p>
    </>
  );
}
