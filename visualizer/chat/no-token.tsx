import { t } from "../src/words/t.ts";
/** What is shown to who has not come by the link. */
export function NoToken({ isWrong = false }: { readonly isWrong?: boolean }) {
  return (
    <main className="no-token">
      <h1>{isWrong ? t("This link is out of date") : t("Open the link of the terminal")}</h1>
      <p>
        <code>agentchart dev</code> {t("prints a link to this page. Its end, after")} <code>#t=</code>
        {t(", lets you in.")}
      </p>
    </main>
  );
}
