import { notify } from "./notices.ts";
import { t } from "../words/t.ts";

/** Copies a text and displays a notice; a page opened from another machine over plain HTTP has no clipboard. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify("info", t("Copied."));
  } catch {
    notify("bad", t("The browser does not allow this page to copy."));
  }
}
