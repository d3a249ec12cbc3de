import { useEffect, useMemo, useState } from "react";

/** True if the theme, or the system's theme, is dark. */
export function useIsDark(theme: string): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = (): void => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [query]);
  return theme === "system" ? isDark : theme === "dark";
}
