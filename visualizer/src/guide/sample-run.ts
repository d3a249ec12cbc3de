import { openText } from "../store/files.ts";
import { notify } from "../store/notices.ts";
import { model } from "../store/model.ts";
import { t } from "../words/t.ts";

/** The recorded run that a page without runs offers: `npm run docs:sample` records it. */
const FILE = "sample-run.ndjson";

/** Opens the sample run with its hints. A problem is shown as a notice. */
export async function openSample(): Promise<void> {
  try {
    const response = await fetch(FILE);
    if (!response.ok) throw new Error(t`status ${response.status}`);
    await openText(FILE, await response.text());
    model.set({ guide: 0, phoneView: "chart" });
  } catch (error) {
    notify("bad", t`The sample run cannot be loaded: ${(error as Error).message}`);
  }
}

/** Shows the hints if the address asks for them: `#/guide`. */
export function followGuide(): void {
  if (location.hash !== "#/guide") return;
  history.replaceState(history.state, "", "#/");
  model.set({ guide: 0 });
}
