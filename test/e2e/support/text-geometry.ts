import type { Page } from "playwright-core";

/** What is wrong with the texts that a page shows. */
export type TextProblems = {
  /** Pairs of texts that overlap. */
  readonly overlaps: readonly string[];
  /** Texts below 11 px. */
  readonly small: readonly string[];
  /** Texts that reach beyond the window. */
  readonly outside: readonly string[];
};

/** Names, numbers, labels and badges of the chart that overlap. */
export const chartOverlaps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const view = document.querySelector(".canvas").getBoundingClientRect();
    const boxes = [...document.querySelectorAll("svg.chart :is(.title, .visits, .region, .row, .label text, .pill text), .services li")]
      .filter((each) => getComputedStyle(each).visibility !== "hidden")
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.right > view.left && box.left < view.right && box.bottom > view.top && box.top < view.bottom);
    return boxes.flatMap(({ each, box: a }, at) => boxes.slice(at + 1).flatMap(({ each: other, box: b }) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return wide > 1 && high > 1 ? [each.textContent + " / " + other.textContent] : [];
    }));
  })()`);

/** The texts that a chart shows, with their size on the screen in px. */
export const chartTexts = (page: Page): Promise<readonly { readonly text: string; readonly px: number }[]> =>
  page.evaluate(`[...document.querySelectorAll("svg.chart text")]
    .filter((each) => getComputedStyle(each).visibility !== "hidden" && each.getBoundingClientRect().width > 0)
    .map((each) => ({ text: each.textContent, px: parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a }))`);

/**
 * Measures all texts that are visible outside of the chart's picture: where their letters are, as far as no scroll box cuts them
 * off. A text that lies in a box above others, such as a button that floats or a heading that sticks, is not compared with what
 * is below it; while a modal dialog is open, only its texts are measured.
 */
export const textProblems = (page: Page): Promise<TextProblems> =>
  page.evaluate(`(() => {
    const FLOATING = ".newest, .notices, .hint, .lanes-overlay, .hidden-text, .forks, .services";
    const root = document.querySelector("dialog:modal") ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (node.data.trim() === "" || parent.closest("svg, canvas, script, style, option, " + FLOATING)) continue;
      const style = getComputedStyle(parent);
      if (style.visibility === "hidden" || style.clipPath !== "none") continue;
      if (!parent.checkVisibility({ opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        let [left, top, right, bottom] = [rect.left, rect.top, rect.right, rect.bottom];
        let isHidden = false;
        let layer = "";
        for (let at = parent; at && at !== document.body; at = at.parentElement) {
          const { overflowX, overflowY, clipPath, position } = getComputedStyle(at);
          if (clipPath !== "none") isHidden = true;
          if (position === "sticky") layer = at.parentElement.parentElement.tagName + at.matches(":first-child");
          if (overflowX === "visible" && overflowY === "visible") continue;
          const box = at.getBoundingClientRect();
          left = Math.max(left, box.left);
          right = Math.min(right, box.right);
          top = Math.max(top, box.top);
          bottom = Math.min(bottom, box.bottom);
        }
        if (isHidden || right - left < 2 || bottom - top < 4) continue;
        texts.push({ text: node.data.trim().slice(0, 40), parent, size: parseFloat(style.fontSize), layer, left, top, right, bottom });
      }
    }
    const overlaps = [];
    const sorted = texts.sort((a, b) => a.top - b.top);
    for (const [at, a] of sorted.entries()) {
      for (const b of sorted.slice(at + 1)) {
        if (b.top > a.bottom) break;
        if (a.parent === b.parent || a.layer !== b.layer) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // lines of one text touch by some px, as the boxes of letters are higher than the letters
        if (wide > 2 && high > Math.min(a.bottom - a.top, b.bottom - b.top) / 2)
          overlaps.push(a.text + " / " + b.text);
      }
    }
    return {
      overlaps,
      small: texts.filter(({ size }) => size < 11).map(({ text, size }) => size + " px: " + text),
      outside: texts.filter(({ right, left }) => right > innerWidth + 1 || left < -1).map(({ text }) => text),
    };
  })()`);
