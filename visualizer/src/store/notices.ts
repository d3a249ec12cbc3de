import { model, type Notice } from "./model.ts";

const SHOWN_FOR = 7_000;
let count = 0;

/** A short word at the edge of the page that goes by itself. */
export function notify(tone: Notice["tone"], text: string): void {
  const notice = { id: ++count, tone, text };
  const others = model.notices.filter((each) => each.text !== text);
  model.set({ notices: [...others.slice(-3), notice] });
  setTimeout(() => dismiss(notice.id), SHOWN_FOR);
}

export function dismiss(id: number): void {
  model.set({ notices: model.notices.filter((notice) => notice.id !== id) });
}
