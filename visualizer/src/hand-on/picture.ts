import { t } from "../words/t.ts";
/** The properties of CSS by which a picture is drawn. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "visibility",
  "opacity",
  "vector-effect",
] as const;
/** Selects what is there to be touched, and what appears only for a moment. */
const LEFT_OUT = ".hit, .hit-area, .chart-layer, .flash, .animation";
/** The pixels of a picture for each unit of the map or chart. */
export const PIXELS_PER_UNIT = 2;
/** The largest side of a picture in px: browsers draw no larger canvas. */
const MAX_PIXELS = 8_000;
const SVG = "http://www.w3.org/2000/svg";

/** The picture that is displayed: the map or the chart; null while there is none. */
export const displayedPicture = (): SVGSVGElement | null =>
  document.querySelector<SVGSVGElement>("svg.map, svg.chart");

/** Copies an element with the styles that it is drawn with; undefined for one that is not seen. */
function drawn(element: Element): Element | undefined {
  if (element.matches(LEFT_OUT)) return undefined;
  const style = getComputedStyle(element);
  if (style.display === "none") return undefined;
  const copy = element.cloneNode(false) as Element;
  for (const { name } of [...copy.attributes])
    if (
      name === "class" ||
      name === "role" ||
      name === "tabindex" ||
      name === "style" ||
      /^(?:aria|data)-/.test(name)
    )
      copy.removeAttribute(name);
  for (const name of PROPERTIES) {
    const value = style.getPropertyValue(name);
    if (value !== "") copy.setAttribute(name, value);
  }
  for (const child of element.childNodes) {
    const part = child instanceof Element ? drawn(child) : child.cloneNode();
    if (part) copy.append(part);
  }
  return copy;
}

/** The rules of the fonts of the page, as text with the fonts in it, so that the picture looks alike where they are not installed. */
async function fontRules(): Promise<string> {
  const faces = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href ?? document.baseURI })))
    .filter(({ rule }) => rule instanceof CSSFontFaceRule && /U\+0-FF|U\+0000-00FF/i.test(rule.cssText));
  const texts = faces.map(async ({ rule, base }) => {
    const [found, url = ""] = /url\("?([^")]+)"?\)/.exec(rule.cssText) ?? [];
    if (found === undefined || url.startsWith("data:")) return rule.cssText;
    const answer = await fetch(new URL(url, base));
    return answer.ok ? rule.cssText.replace(found, `url("${await dataUrl(await answer.blob())}")`) : "";
  });
  return (await Promise.all(texts)).join("\n");
}

function dataUrl(content: globalThis.Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error(t("A font cannot be read."))));
    reader.readAsDataURL(content);
  });
}

/** Returns the whole displayed picture as the text of an SVG file in the colors of the page, however far a person has zoomed in. */
export async function svgText(picture: SVGSVGElement): Promise<string> {
  const plane = picture.querySelector(":scope > g")!;
  const { x, y, width, height } = (plane as SVGGElement).getBBox();
  const margin = 16;
  const box = [x - margin, y - margin, width + 2 * margin, height + 2 * margin].map(Math.round);
  const file = document.createElementNS(SVG, "svg");
  file.setAttribute("xmlns", SVG);
  file.setAttribute("viewBox", box.join(" "));
  file.setAttribute("width", String(box[2]));
  file.setAttribute("height", String(box[3]));
  const style = document.createElementNS(SVG, "style");
  style.textContent = await fontRules();
  const ground = document.createElementNS(SVG, "rect");
  for (const [at, name] of ["x", "y", "width", "height"].entries())
    ground.setAttribute(name, String(box[at]));
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  const content = drawn(plane)!;
  content.removeAttribute("transform");
  file.append(style, ground, content);
  return new XMLSerializer().serializeToString(file);
}

/** Returns a picture as a PNG file with two pixels per unit. Rejects if the browser cannot draw it. */
export async function pngOf(text: string): Promise<globalThis.Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(PIXELS_PER_UNIT, MAX_PIXELS / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error(t("This browser cannot draw the picture."));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise<globalThis.Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!png) throw new Error(t("This browser cannot write the picture."));
  return png;
}
