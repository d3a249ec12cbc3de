/** The size of the first page in bytes; each following page is twice as large, up to the maximum. */
const FIRST_PAGE_BYTES = 8_192;
const MAX_PAGE_BYTES = 65_536;
/** UTF-16 code units of steps that are encoded at once. */
const BATCH_UNITS = 4_096;
/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the text of bytes that {@link StepPages} has returned. */
export function textOfBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Steps one after the other, with commas between them. */
type Page = { readonly bytes: Uint8Array; used: number; readonly first: number; readonly ends: number[] };

/**
 * The JSON of steps in order, stored as bytes outside the heap: garbage collection has nothing to copy, and
 * pages are sent without conversion. Steps are numbered from 1; the oldest can be dropped.
 */
export class StepPages {
  #pages: Page[] = [];
  #first = 1;
  #last = 0;
  #size = FIRST_PAGE_BYTES;
  #bytes = 0;
  /** The newest steps, which are not encoded yet: each one by itself costs more than all at once. */
  #waiting: string[] = [];
  #waitingUnits = 0;

  /** The number of the oldest step that is left. */
  get first(): number {
    return this.#first;
  }

  /** The number of the newest step; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** The number of bytes that are allocated, without the last few steps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the JSON of the next step. */
  push(text: string): void {
    this.#last++;
    this.#waiting.push(text);
    this.#waitingUnits += text.length + 1;
    if (this.#waitingUnits > BATCH_UNITS) this.#encode();
  }

  /**
   * Returns steps from `from` on with commas between them: at least one, at most about `maxBytes` bytes,
   * possibly fewer than there are.
   */
  from(from: number, maxBytes: number): { readonly bytes: Uint8Array; readonly count: number } {
    this.#encode();
    const page = this.#pages.find((each) => from < endOf(each));
    if (!page) return { bytes: new Uint8Array(0), count: 0 };
    const begin = from - page.first;
    const start = begin === 0 ? 0 : page.ends[begin - 1]! + 1;
    let end = begin + 1;
    while (end < page.ends.length && page.ends[end]! - start <= maxBytes) end++;
    return { bytes: page.bytes.subarray(start, page.ends[end - 1]), count: end - begin };
  }

  drop(count: number): void {
    this.#encode();
    this.#first = Math.min(this.#first + count, this.#last + 1);
    while (this.#pages.length > 0 && endOf(this.#pages[0]!) <= this.#first)
      this.#bytes -= this.#pages.shift()!.bytes.length;
  }

  #encode(): void {
    const texts = this.#waiting;
    if (texts.length === 0) return;
    const joined = texts.join(",");
    const last = this.#pages.at(-1);
    const written = (last && write(joined, last)) ?? write(joined, this.#addPage(joined.length))!;
    const { used, ends } = this.#pages.at(-1)!;
    const isAscii = written === joined.length;
    let end = used - written - 1;
    for (const text of texts) {
      end += 1 + (isAscii ? text.length : encoder.encode(text).length);
      ends.push(end);
    }
    this.#waiting = [];
    this.#waitingUnits = 0;
  }

  #addPage(units: number): Page {
    const bytes = new Uint8Array(Math.max(this.#size, units * BYTES_PER_UNIT));
    this.#size = Math.min(this.#size * 2, MAX_PAGE_BYTES);
    const page = { bytes, used: 0, first: this.#last - this.#waiting.length + 1, ends: [] };
    this.#pages.push(page);
    this.#bytes += bytes.length;
    return page;
  }
}

/** Writes a text at the end of a page. Returns the number of its bytes; undefined if there is no room, and the page is as it was. */
function write(text: string, page: Page): number | undefined {
  const start = page.ends.length > 0 ? page.used + 1 : page.used;
  if (start + text.length > page.bytes.length) return undefined;
  const { read, written } = encoder.encodeInto(text, page.bytes.subarray(start));
  if (read < text.length) return undefined;
  if (page.ends.length > 0) page.bytes[page.used] = COMMA;
  page.used = start + written;
  return written;
}

/** The number that follows that of the page's last step. */
function endOf({ first, ends }: Page): number {
  return first + ends.length;
}
