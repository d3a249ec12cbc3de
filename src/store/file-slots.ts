/** The maximum numbers of calls of the operating system that one store, and all stores of the process, may have under way. Each takes a
 *  thread for as long as it lasts, and Node has four of them, so that a file system that hangs leaves one to everything else. */
const [PER_STORE, PER_PROCESS] = [2, 3];

/** Places for calls that are under way. A call that finds none waits for its turn. */
export class FileSlots {
  readonly #waiting: (() => void)[] = [];
  readonly #parent: FileSlots | undefined;
  #free: number;

  constructor(free: number, parent?: FileSlots) {
    this.#free = free;
    this.#parent = parent;
  }

  /** Calls `begin` once there is a place; {@link give} must follow. */
  take(begin: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push(begin);
      return;
    }
    this.#free--;
    this.#start(begin);
  }

  #start(begin: () => void): void {
    if (this.#parent) this.#parent.take(begin);
    else begin();
  }

  /** Returns a place. */
  give(): void {
    this.#parent?.give();
    const next = this.#waiting.shift();
    if (next) this.#start(next);
    else this.#free++;
  }
}

const allStores = new FileSlots(PER_PROCESS);

/** Returns the places of one store. */
export function slotsOfStore(): FileSlots {
  return new FileSlots(PER_STORE, allStores);
}
