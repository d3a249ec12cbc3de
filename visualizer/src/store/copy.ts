import { notify } from "./notices.ts";

/** Puts a text on the clipboard and says so; a page that another machine opened by plain HTTP has none. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify("info", "Copied.");
  } catch {
    notify("bad", "The browser does not let this page copy.");
  }
}
