import { useEffect, useRef, type MouseEvent, type RefObject } from "react";
import { CaseView } from "./case/case-view.tsx";
import { CaseList } from "./cases/case-list.tsx";
import { NewCase } from "./cases/new-case.tsx";
import { useCases } from "./cases/use-cases.ts";
import { token } from "./parts/server.ts";
import { useAddress } from "./parts/use-address.ts";
import { LANGUAGES, useLanguage, type Language } from "./words/language.tsx";

/** The page: the cases, and the one that is open. */
export function Desk() {
  const { words } = useLanguage();
  const room = useRef<HTMLDivElement>(null);
  const skip = (event: MouseEvent): void => {
    event.preventDefault();
    focusHeading(room.current);
  };
  return (
    <div className="desk">
      <header className="top">
        <a className="skip" href="#" onClick={skip}>
          {words.skip}
        </a>
        <h1>{words.title}</h1>
        <LanguageSwitch />
      </header>
      {token === "" ? <NoToken /> : <Rooms room={room} />}
    </div>
  );
}

const focusHeading = (room: HTMLElement | null): void =>
  room?.querySelector<HTMLElement>("[data-heading]")?.focus();

function Rooms({ room }: { readonly room: RefObject<HTMLDivElement | null> }) {
  const { words } = useLanguage();
  const { cases, problem, refresh } = useCases();
  const address = useAddress();
  const waiting = cases?.filter(({ phase }) => phase === "suspended").length ?? 0;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) ${words.title}` : words.title;
  }, [waiting, words]);
  const shown = address.at === "case" ? address.id : address.at;
  const before = useRef(shown);
  useEffect(() => {
    if (before.current !== shown) focusHeading(room.current);
    before.current = shown;
  }, [shown]);
  return (
    <main className="rooms" data-at={address.at}>
      <CaseList cases={cases} problem={problem} address={address} />
      <div className="room" ref={room}>
        {address.at === "case" ? (
          <CaseView
            key={address.id}
            id={address.id}
            title={cases?.find(({ id }) => id === address.id)?.title}
            onChange={refresh}
          />
        ) : (
          <NewCase />
        )}
      </div>
    </main>
  );
}

function LanguageSwitch() {
  const { words, language, speak } = useLanguage();
  return (
    <div className="languages" role="group" aria-label={words.language}>
      {(Object.keys(LANGUAGES) as Language[]).map((each) => (
        <button
          key={each}
          type="button"
          lang={each === "zh" ? "zh-Hans" : each}
          aria-pressed={each === language}
          onClick={() => speak(each)}
        >
          {LANGUAGES[each]}
        </button>
      ))}
    </div>
  );
}

function NoToken() {
  const { words } = useLanguage();
  return (
    <main className="no-token">
      <h2>{words.noToken.title}</h2>
      <p>{words.noToken.text}</p>
    </main>
  );
}
