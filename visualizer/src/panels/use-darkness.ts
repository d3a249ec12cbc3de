import { useEffect, useMemo, useState } from "react";

export function useDarkness(theme: string): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const tell = (): void => setDark(query.matches);
    query.addEventListener("change", tell);
    return () => query.removeEventListener("change", tell);
  }, [query]);
  return theme === "system" ? isDark : theme === "dark";
}
