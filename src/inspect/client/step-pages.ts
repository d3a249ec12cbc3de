/** Bytes of the first page; each next one is twice as large, up to the most. */
const FIRST_PAGE = 8_192;
const LARGEST_PAGE = 65_536;
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

/** Texts one after the other, with commas between them. */
type Page = { readonly bytes: Buffer; used: number; readonly first: number; readonly ends: number[] };

/** Texts in order, kept as bytes outside of the heap: garbage collection has nothing to copy, and what is sent is a piece of
 *  what is kept. They are counted from 1; the oldest can be let go. */
export class StepPages {
  #pages: Page[] = [];
  #first = 1;
  #last = 0;
  #size = FIRST_PAGE;
  #bytes = 0;

  /** The number of the oldest text that is left. */
  get first(): number {
    return this.#first;
  }

  /** The number of the newest text; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  push(text: string): void {
    const page = this.#pageFor(text.length * BYTES_PER_UNIT + 1);
    if (page.ends.length > 0) page.bytes[page.used++] = COMMA;
    page.used += page.bytes.write(text, page.used);
    page.ends.push(page.used);
    this.#last++;
  }

  /** Texts from `from` on, with commas between them: at least one, up to about `most` bytes, perhaps fewer than there are. */
  from(from: number, most: number): { readonly bytes: Buffer; readonly count: number } {
    const page = this.#pages.find((each) => from < endOf(each));
    if (!page) return { bytes: Buffer.alloc(0), count: 0 };
    const begin = from - page.first;
    const start = begin === 0 ? 0 : page.ends[begin - 1]! + 1;
    let end = begin + 1;
    while (end < page.ends.length && page.ends[end]! - start <= most) end++;
    return { bytes: page.bytes.subarray(start, page.ends[end - 1]), count: end - begin };
  }

  /** Lets go of the oldest `count` texts. */
  letGo(count: number): void {
    this.#first = Math.min(this.#first + count, this.#last + 1);
    while (this.#pages.length > 0 && endOf(this.#pages[0]!) <= this.#first)
      this.#bytes -= this.#pages.shift()!.bytes.length;
  }

  #pageFor(room: number): Page {
    const page = this.#pages.at(-1);
    if (page && page.used + room <= page.bytes.length) return page;
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.#size, room));
    this.#size = Math.min(this.#size * 2, LARGEST_PAGE);
    const next = { bytes, used: 0, first: this.#last + 1, ends: [] };
    this.#pages.push(next);
    this.#bytes += bytes.length;
    return next;
  }
}

/** The number after that of its last text. */
function endOf({ first, ends }: Page): number {
  return first + ends.length;
}
