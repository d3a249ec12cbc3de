import type { Page } from "playwright-core";
import { settled } from "./settled.ts";

const SMALL_TARGETS = `(() => {
  const LEAST = 24;
  const KINDS = "button, a[href], input, select, textarea, summary, [role=option], [role=slider], [role=separator], .json-line[aria-expanded]";
  const isFile = (element) => element.type === "file";
  const boxOf = (element) => (element.closest("label") ?? element).getBoundingClientRect();
  const isSeen = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return width > 0 && hit !== null && (element.contains(hit) || hit.contains(element) && hit.closest("label") !== null);
  };
  const isInline = (element) => getComputedStyle(element).display === "inline"
    && [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
  const seen = [...document.querySelectorAll(KINDS)].filter((element) => !isFile(element) && isSeen(element));
  const isSmall = (element) => {
    const { width, height } = boxOf(element);
    return width < LEAST - 0.01 || height < LEAST - 0.01;
  };
  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const isCrowded = (element, other) => {
    const [x, y] = middle(boxOf(element));
    const box = boxOf(other);
    const [ox, oy] = middle(box);
    const far = isSmall(other)
      ? Math.hypot(x - ox, y - oy) - LEAST
      : Math.hypot(x - Math.min(Math.max(x, box.left), box.right), y - Math.min(Math.max(y, box.top), box.bottom)) - LEAST / 2;
    return far < -0.01;
  };
  return seen
    .filter((element) => isSmall(element) && !isInline(element))
    .flatMap((element) => {
      const near = seen.find((other) => other !== element && !other.contains(element) && !element.contains(other) && isCrowded(element, other));
      const { width, height } = boxOf(element);
      return near ? [element.outerHTML.slice(0, 120) + " of " + width + "×" + height + " is too close to " + near.outerHTML.slice(0, 120)] : [];
    });
})()`;

/** Returns the pointer targets that are smaller than 24 px and too close to another one (WCAG 2.5.8). */
export async function targetsTooSmall(page: Page): Promise<string[]> {
  await settled(page);
  return page.evaluate(SMALL_TARGETS);
}
