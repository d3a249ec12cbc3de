import { Icon } from "../parts/icon.tsx";
import type { Case } from "../parts/server.ts";
import { linkTo, type Address } from "../parts/use-address.ts";
import { useNow } from "../parts/use-now.ts";
import { useLanguage } from "../words/language.tsx";

type Props = {
  readonly cases: readonly Case[] | undefined;
  readonly problem: string | undefined;
  readonly address: Address;
};

/** The cases, each a link, and the way to a new one. */
export function CaseList({ cases, problem, address }: Props) {
  const { words } = useLanguage();
  const waiting = cases?.filter(({ phase }) => phase === "suspended").length ?? 0;
  return (
    <nav className="cases" aria-labelledby="cases-title">
      <div className="cases-head">
        <h2 id="cases-title">{words.cases.title}</h2>
        <a className="button primary" href={linkTo({ at: "new" })}>
          <Icon name="plus" />
          {words.cases.new}
        </a>
      </div>
      <p className="waiting" role="status">
        {cases && (waiting > 0 ? words.cases.waiting(waiting) : words.cases.noneWaiting)}
      </p>
      {problem !== undefined && <p className="problem">{words.cases.failed(problem)}</p>}
      {cases?.length === 0 && <p className="muted">{words.cases.none}</p>}
      <ul>
        {cases?.map((each) => (
          <li key={each.id}>
            <CaseLink {...each} isOpen={address.at === "case" && address.id === each.id} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function CaseLink({ id, title, phase, updatedAt, isOpen }: Case & { readonly isOpen: boolean }) {
  const { words, format } = useLanguage();
  const now = useNow();
  return (
    <a className="case-link" href={linkTo({ at: "case", id })} aria-current={isOpen ? "page" : undefined}>
      <span className="case-title">{title ?? words.case.untitled}</span>
      <span className="case-about">
        <span className="phase" data-phase={phase}>
          {words.phase[phase]}
        </span>
        <time dateTime={new Date(updatedAt).toISOString()} title={format.time(updatedAt)}>
          {format.ago(updatedAt, now)}
        </time>
      </span>
    </a>
  );
}
