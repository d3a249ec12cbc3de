import type { Locator, Page } from "playwright-core";

/** Where a step stands on the strip, in px. */
export type Place = { readonly left: number; readonly width: number };

const NAMES = `async (strip) => {
  const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  /** The page draws in pieces, each a turn of its own. */
  const drawn = async () => {
    for (let turns = 0; turns < 8; turns += 1) await turn();
  };
  const { x, y, width, height } = strip.getBoundingClientRect();
  const found = [];
  for (let at = 0; at < width; at += 1) {
    strip.dispatchEvent(new PointerEvent("pointermove", { clientX: x + at, clientY: y + height / 2, bubbles: true }));
    await drawn();
    found.push(Number.parseInt(strip.querySelector(".hint")?.textContent ?? "0", 10));
  }
  return found;
}`;

const PLAYHEAD = `(strip) => {
  const line = strip.querySelector(".playhead")?.getBoundingClientRect();
  const { x, right } = strip.getBoundingClientRect();
  return line !== undefined && line.x >= x - 3 && line.x <= right + 1;
}`;

const MARKS = `(strip, x) => {
  const probe = strip.appendChild(document.createElement("i"));
  const colourOf = (name) => {
    probe.style.color = "var(--" + name + ")";
    return getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join();
  };
  const colours = ["red", "amber"].map((name) => [name, colourOf(name)]);
  probe.remove();
  const paper = strip.querySelector("canvas").getContext("2d");
  const pixels = [-1, 0, 1].map((by) =>
    [...paper.getImageData((x + by) * devicePixelRatio, 4 * devicePixelRatio, 1, 1).data.slice(0, 3)].join());
  return colours.flatMap(([name, colour]) => pixels.includes(colour) ? [name] : []);
}`;

/** The strip of a run under a mouse; places are px from its left end. */
export class StripPicture {
  readonly slider: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.slider = page.getByRole("slider", { name: "Step" });
  }

  async width(): Promise<number> {
    return (await this.slider.boundingBox())!.width;
  }

  /** Where each step that is seen stands, as the hint under the pointer names it. */
  async places(): Promise<ReadonlyMap<number, Place>> {
    const named = await this.#ask<number[]>(NAMES);
    const places = new Map<number, Place>();
    for (const [at, q] of named.entries()) {
      const { left, width } = places.get(q) ?? { left: at, width: 0 };
      places.set(q, { left, width: width + 1 });
    }
    return places;
  }

  /** The colour of the mark above a place, among those of failures and of waiting. */
  async markAt(x: number): Promise<"red" | "amber" | undefined> {
    const [mark] = await this.#ask<("red" | "amber")[]>(MARKS, x);
    return mark;
  }

  async press(x: number): Promise<void> {
    await this.#moveTo(x);
    await this.#page.mouse.down();
  }

  /** Moves the mouse to a place in some steps. */
  async drag(x: number): Promise<void> {
    await this.#moveTo(x, 4);
  }

  async wheel(x: number, deltaY: number): Promise<void> {
    await this.#moveTo(x);
    await this.#page.mouse.wheel(0, deltaY);
  }

  /** Whether the line at the shown step is within the strip. */
  playhead(): Promise<boolean> {
    return this.#ask(PLAYHEAD);
  }

  #ask<T>(code: string, argument = 0): Promise<T> {
    return this.#page.evaluate(`(${code})(document.querySelector(".strip"), ${argument})`);
  }

  async #moveTo(x: number, steps = 1): Promise<void> {
    const box = (await this.slider.boundingBox())!;
    await this.#page.mouse.move(box.x + x, box.y + box.height / 2, { steps });
  }
}
