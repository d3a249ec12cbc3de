/** The types of images that are shown. Others may hold scripts or addresses, such as SVG, or browsers do not know them. */
const PICTURES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
];

/** The type of an image as an address of its data says it; undefined for one that is not shown. */
export function pictureType(mediaType: string): string | undefined {
  const type = mediaType.toLowerCase().split(";", 1)[0]!.trim();
  return type === "image/jpg" ? "image/jpeg" : PICTURES.find((known) => known === type);
}
