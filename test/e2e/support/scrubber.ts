import type { Locator, Page } from "playwright-core";

/** Where the scrubber shows a step, in px from its left end. */
export type Place = { readonly left: number; readonly width: number };

const NAMES = `async (scrubber) => {
  const nextTask = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  /** The page renders in several tasks. */
  const drawn = async () => {
    for (let tasks = 0; tasks < 8; tasks += 1) await nextTask();
  };
  const { x, y, width, height } = scrubber.getBoundingClientRect();
  const found = [];
  for (let at = 0; at < width; at += 1) {
    scrubber.dispatchEvent(new PointerEvent("pointermove", { clientX: x + at, clientY: y + height / 2, bubbles: true }));
    await drawn();
    found.push(Number.parseInt(scrubber.querySelector(".hint")?.textContent ?? "0", 10));
  }
  return found;
}`;

const PLAYHEAD = `(scrubber) => {
  const line = scrubber.querySelector(".playhead")?.getBoundingClientRect();
  const { x, right } = scrubber.getBoundingClientRect();
  return line !== undefined && line.x >= x - 3 && line.x <= right + 1;
}`;

const MARKS = `(scrubber, x) => {
  const probe = scrubber.appendChild(document.createElement("i"));
  const colourOf = (name) => {
    probe.style.color = "var(--" + name + ")";
    return getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join();
  };
  const colours = ["red", "amber"].map((name) => [name, colourOf(name)]);
  probe.remove();
  const canvas = scrubber.querySelector("canvas").getContext("2d");
  const pixels = [-1, 0, 1].map((by) =>
    [...canvas.getImageData((x + by) * devicePixelRatio, 4 * devicePixelRatio, 1, 1).data.slice(0, 3)].join());
  return colours.flatMap(([name, colour]) => pixels.includes(colour) ? [name] : []);
}`;

/** Page object of the scrubber; positions are px from its left end. */
export class Scrubber {
  readonly slider: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.slider = page.getByRole("slider", { name: "Step" });
  }

  async width(): Promise<number> {
    return (await this.slider.boundingBox())!.width;
  }

  /** Returns where each visible step is, as the hint under the pointer names it. */
  async places(): Promise<ReadonlyMap<number, Place>> {
    const named = await this.#evaluate<number[]>(NAMES);
    const places = new Map<number, Place>();
    for (const [at, stepNumber] of named.entries()) {
      const { left, width } = places.get(stepNumber) ?? { left: at, width: 0 };
      places.set(stepNumber, { left, width: width + 1 });
    }
    return places;
  }

  /** Returns the colour of the mark at a position, if it marks a failure (red) or a wait (amber). */
  async markAt(x: number): Promise<"red" | "amber" | undefined> {
    const [mark] = await this.#evaluate<("red" | "amber")[]>(MARKS, x);
    return mark;
  }

  async press(x: number): Promise<void> {
    await this.#moveTo(x);
    await this.#page.mouse.down();
  }

  /** Moves the mouse to a position in several moves. */
  async drag(x: number): Promise<void> {
    await this.#moveTo(x, 4);
  }

  async wheel(x: number, deltaY: number): Promise<void> {
    await this.#moveTo(x);
    await this.#page.mouse.wheel(0, deltaY);
  }

  /** Returns whether the line at the displayed step is within the scrubber. */
  playhead(): Promise<boolean> {
    return this.#evaluate(PLAYHEAD);
  }

  #evaluate<T>(code: string, argument = 0): Promise<T> {
    return this.#page.evaluate(`(${code})(document.querySelector(".scrubber"), ${argument})`);
  }

  async #moveTo(x: number, steps = 1): Promise<void> {
    const box = (await this.slider.boundingBox())!;
    await this.#page.mouse.move(box.x + x, box.y + box.height / 2, { steps });
  }
}
