import { model, type Notice } from "./model.ts";

const NOTICE_MS = 7_000;
let count = 0;

/** Displays a notice for seven seconds. */
export function notify(tone: Notice["tone"], text: string): void {
  const notice = { id: ++count, tone, text };
  const others = model.notices.filter((each) => each.text !== text);
  model.set({ notices: [...others.slice(-3), notice] });
  setTimeout(() => dismiss(notice.id), NOTICE_MS);
}

/** Removes a notice. */
export function dismiss(id: number): void {
  model.set({ notices: model.notices.filter((notice) => notice.id !== id) });
}
