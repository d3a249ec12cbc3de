import { createContext, useCallback, useContext, useState, type ReactNode } from "react";

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => {});
/** Makes a text that is said twice in a row a new one. */
const AGAIN = "\u00a0";

/** Says texts to screen readers when they are not busy. */
export function AnnouncerProvider({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState("");
  const announce = useCallback(
    (text: string) => setSaid((before) => (before === text ? text + AGAIN : text)),
    [],
  );
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div className="hidden" role="status" data-testid="announcer">
        {said}
      </div>
    </AnnouncerContext>
  );
}

export const useAnnounce = (): Announce => useContext(AnnouncerContext);
