/** The name of the window of the inspector: the next link is opened in it too. */
const WINDOW = "agentchart-inspector";
/** The narrowest window in which the inspector stands in columns, px. */
const NARROWEST = 840;

/** Opens an address in a window of its own at the right of the screen, beside this one. Returns false if the browser does not allow it. */
export function openBeside(address: string): boolean {
  const { availWidth, availHeight } = screen;
  const width = Math.max(NARROWEST, Math.round(availWidth / 2));
  const place = `popup,left=${availWidth - width},top=0,width=${width},height=${availHeight}`;
  return window.open(address, WINDOW, place) !== null;
}
