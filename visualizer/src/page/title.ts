import { safeText } from "../logic/format.ts";
import { groupOf } from "../wire/types.ts";
import { model } from "../store/model.ts";

/** Keeps the number of runs that need a user in the page's title and icon. */
export function syncTitle(): void {
  let current = "";
  model.subscribe(() => {
    const waiting = [...model.rows.values()].filter((row) => groupOf(row) === "needsYou").length;
    const title = `${waiting > 0 ? `(${waiting}) ` : ""}${model.row && model.isAboutRun ? `${safeText(model.row.agent)} · ` : ""}Agentchart`;
    if (title === current) return;
    current = title;
    document.title = title;
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = `data:image/svg+xml,${encodeURIComponent(iconOf(waiting))}`;
  });
}

function iconOf(waiting: number): string {
  const badge =
    waiting === 0
      ? ""
      : `<circle cx="23" cy="9" r="9" fill="#f5b04d"/><text x="23" y="13.5" font-size="13" font-weight="700" font-family="sans-serif" text-anchor="middle" fill="#241400">${Math.min(waiting, 9)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M16 2 28 9v14l-12 7-12-7V9z" fill="#0f1218" stroke="#4cc4f0" stroke-width="2"/><path d="M16 9.5 22 13v7l-6 3.5-6-3.5v-7z" fill="#a78bfa"/>${badge}</svg>`;
}
