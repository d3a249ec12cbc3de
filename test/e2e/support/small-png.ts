import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = 8;

/** Reduces a screenshot to at most 256 colours, which makes it about four times smaller. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels, depth } = decoded(png);
  const palette = paletteOf(pixels, depth);
  const nearest = new Map<number, number>();
  const lines = Buffer.alloc((width + 1) * height);
  for (let at = 0, pixel = 0; pixel < width * height; pixel += 1, at += depth) {
    const colour = (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!;
    let index = nearest.get(colour);
    if (index === undefined) nearest.set(colour, (index = nearestOf(colour, palette)));
    lines[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

type Picture = {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly pixels: Buffer;
};

/** Decodes a PNG with 8 bits per channel, as browsers write it. */
function decoded(png: Buffer): Picture {
  const data: Buffer[] = [];
  for (let at = SIGNATURE; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(body);
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const depth = png[25] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(data));
  const length = width * depth;
  const pixels = Buffer.alloc(length * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (length + 1)]!;
    for (let x = 0; x < length; x += 1) {
      const place = y * length + x;
      const left = x >= depth ? pixels[place - depth]! : 0;
      const above = y > 0 ? pixels[place - length]! : 0;
      const corner = x >= depth && y > 0 ? pixels[place - length - depth]! : 0;
      pixels[place] = raw[y * (length + 1) + 1 + x]! + predicted(filter, left, above, corner);
    }
  }
  return { width, height, depth, pixels };
}

/** Returns the value that a PNG filter adds to a byte. */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter < 3) return [0, left, above][filter]!;
  if (filter === 3) return (left + above) >> 1;
  const guess = left + above - corner;
  const [byLeft, byAbove, byCorner] = [left, above, corner].map((value) => Math.abs(guess - value)) as [
    number,
    number,
    number,
  ];
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

/**
 * Returns the most frequent colours, with similar ones merged; saturated ones have more weight, because they
 * mark states.
 */
function paletteOf(pixels: Buffer, depth: number): number[] {
  const groups = new Map<number, { count: number; readonly colours: Map<number, number> }>();
  for (let at = 0; at < pixels.length; at += depth) {
    const [red, green, blue] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
    const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { count: 0, colours: new Map() }));
    const colour = (red << 16) | (green << 8) | blue;
    group.count += 1 + (Math.max(red, green, blue) - Math.min(red, green, blue)) / 4;
    group.colours.set(colour, (group.colours.get(colour) ?? 0) + 1);
  }
  return [...groups.values()]
    .toSorted((one, other) => other.count - one.count)
    .slice(0, 256)
    .map(({ colours }) => [...colours].toSorted((one, other) => other[1] - one[1])[0]![0]);
}

function nearestOf(colour: number, palette: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, other] of palette.entries()) {
    const red = (colour >> 16) - (other >> 16);
    const green = ((colour >> 8) & 255) - ((other >> 8) & 255);
    const blue = (colour & 255) - (other & 255);
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function chunk(type: string, body: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}
