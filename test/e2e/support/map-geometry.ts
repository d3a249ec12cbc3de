import type { Page } from "playwright-core";

/** What is wrong with the agent map as it is drawn. */
export type MapProblems = {
  /** Texts below 11 px of the screen. */
  readonly small: readonly string[];
  /** Pairs of texts that overlap, and texts that reach out of their card. */
  readonly overlaps: readonly string[];
  /** Parts that reach out of the view. */
  readonly outside: readonly string[];
};

/** Measures the map that a page shows: the size of each text on the screen, by the matrix with which it is drawn. */
export const mapProblems = (page: Page): Promise<MapProblems> =>
  page.evaluate(`(() => {
    const svg = document.querySelector("svg.map");
    const view = svg.parentElement.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((each) => ({
      each,
      text: each.firstChild?.nodeType === 3 ? each.firstChild.data : each.textContent,
      size: parseFloat(getComputedStyle(each).fontSize) * Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b),
      box: each.getBoundingClientRect(),
    })).filter(({ text, box }) => text.trim() !== "" && box.width > 0);
    const overlaps = texts.flatMap(({ text, box: a }, at) => texts.slice(at + 1).flatMap(({ text: other, box: b }) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return wide > 1 && high > 3 ? [text + " / " + other] : [];
    }));
    const cut = texts.flatMap(({ each, text, box }) => {
      const card = each.closest(".map-card")?.querySelector(".box").getBoundingClientRect();
      return card && (box.right > card.right + 1 || box.left < card.left - 1 || box.bottom > card.bottom + 1) ? [text + " reaches out of its card"] : [];
    });
    const cards = [...svg.querySelectorAll(".map-card > .box, .map-hook, .map-count")].map((each) => ({ each, box: each.getBoundingClientRect() }));
    const covered = [...svg.querySelectorAll(".map-card")].flatMap((one, at, all) => all.slice(at + 1).flatMap((other) => {
      const [a, b] = [one, other].map((each) => each.querySelector(".box").getBoundingClientRect());
      const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      return isApart ? [] : [one.dataset.card + " covers " + other.dataset.card];
    }));
    return {
      small: texts.filter(({ size }) => size < 10.995).map(({ text, size }) => size.toFixed(2) + " px: " + text),
      overlaps: [...overlaps, ...cut, ...covered],
      outside: cards.filter(({ box }) => box.left < view.left - 1 || box.right > view.right + 1 || box.top < view.top - 1 || box.bottom > view.bottom + 1)
        .map(({ each }) => each.closest("[data-card]")?.dataset.card ?? each.textContent),
    };
  })()`);
