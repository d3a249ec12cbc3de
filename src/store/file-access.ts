import fs, { type Stats } from "node:fs";
import { ifExists, isMissing } from "./file-error.ts";
import { slotsOfStore, type FileSlots } from "./file-slots.ts";

type Done<T> = (error: NodeJS.ErrnoException | null, value?: T) => void;

let stuck = 0;

/** Returns the number of calls of the operating system that have not returned and whose operations were given up. */
export function stuckFileCalls(): number {
  return stuck;
}

/** The operations that wait for the same file, by its path. */
export type FileTurns = Map<string, Promise<void>>;

/** The file system, for one operation of a store. No call blocks the event loop, and one at a time is under way. Once the operation is
 *  given up no further call begins, except to close what is open. */
export class FileAccess {
  readonly #slots: FileSlots;
  readonly #turns: FileTurns;
  #isGivenUp = false;
  #isCalling = false;

  constructor(slots: FileSlots = slotsOfStore(), turns: FileTurns = new Map()) {
    this.#slots = slots;
    this.#turns = turns;
  }

  /** Ends the operation at its next call. */
  giveUp(): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    if (this.#isCalling) stuck++;
  }

  /** Runs `work` when all that came before it for the same path has ended. */
  async alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(path);
    const done = Promise.withResolvers<void>();
    this.#turns.set(path, done.promise);
    try {
      if (before) await before;
      return await work();
    } finally {
      if (this.#turns.get(path) === done.promise) this.#turns.delete(path);
      done.resolve();
    }
  }

  /** Opens a file. Rejects what the operating system says. */
  async open(path: string, flags: number): Promise<OpenFile> {
    return new OpenFile(this, path, await this.call<number>((done) => fs.open(path, flags, 0o600, done)));
  }

  /** Takes over a file that another operation has opened. */
  adopt({ path, fd }: OpenFile): OpenFile {
    return new OpenFile(this, path, fd);
  }

  /** As {@link FileAccess.withFile}, to read it; undefined if there is no such file. */
  readFile<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T | undefined> {
    return ifExists(this.withFile(path, fs.constants.O_RDONLY, work));
  }

  /** Opens a file, runs `work` on it, and closes it. */
  async withFile<T>(path: string, flags: number, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await this.open(path, flags);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  stat(path: string): Promise<Stats> {
    return this.call((done) => fs.stat(path, done));
  }

  /** As {@link FileAccess.stat}, at once and for a fifth of its cost; undefined if there is no such file. Only behind another call, which
   *  has shown that the file system answers. */
  statAtOnce(path: string): Stats | undefined {
    try {
      return fs.statSync(path, { throwIfNoEntry: false });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Returns the content of a small file. */
  readText(path: string): Promise<string> {
    return this.call((done) => fs.readFile(path, "utf8", done));
  }

  /** Writes a small file that only this user may read. */
  writeText(path: string, text: string): Promise<void> {
    return this.call((done) => fs.writeFile(path, text, { mode: 0o600 }, done));
  }

  /** Returns the names in a folder; none if it is not there. */
  async namesIn(path: string): Promise<readonly string[]> {
    return (await ifExists(this.call<string[]>((done) => fs.readdir(path, done)))) ?? [];
  }

  /** Makes a folder and its parents, for this user only. */
  async makeFolder(path: string): Promise<void> {
    await this.call<string | undefined>((done) => fs.mkdir(path, { recursive: true, mode: 0o700 }, done));
  }

  rename(from: string, to: string): Promise<void> {
    return this.call((done) => fs.rename(from, to, done));
  }

  /** Removes a file, or a folder with all that is in it, if it exists. */
  remove(path: string): Promise<void> {
    return this.call((done) => fs.rm(path, { recursive: true, force: true }, done));
  }

  /** Makes a call of the operating system. `isLast`: also once the operation is given up. */
  call<T>(start: (done: Done<T>) => void, isLast = false): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#slots.take(() => {
        if (this.#isGivenUp && !isLast) {
          this.#slots.give();
          reject(new Error("The operation was given up."));
          return;
        }
        this.#isCalling = true;
        const wasGivenUp = this.#isGivenUp;
        const done: Done<T> = (error, value) => {
          this.#isCalling = false;
          if (this.#isGivenUp && !wasGivenUp) stuck--;
          this.#slots.give();
          if (error) reject(error);
          else resolve(value as T);
        };
        try {
          start(done);
        } catch (error) {
          done(error as NodeJS.ErrnoException); // a path that can be none
        }
      });
    });
  }
}

/** A file that an operation has opened, and under which path. */
export class OpenFile {
  readonly access: FileAccess;
  readonly path: string;
  readonly fd: number;

  constructor(access: FileAccess, path: string, fd: number) {
    this.access = access;
    this.path = path;
    this.fd = fd;
  }

  stat(): Promise<Stats> {
    return this.access.call((done) => fs.fstat(this.fd, done));
  }

  /** Reads the bytes from one offset to another; fewer if the file ends before. */
  async bytesAt(from: number, to: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
    let length = 0;
    while (length < bytes.length) {
      const at = length;
      const count = await this.access.call<number>((done) =>
        fs.read(this.fd, bytes, at, bytes.length - at, from + at, done),
      );
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  }

  /** Writes bytes where the file ends, in one call, and returns how many were accepted. */
  append(bytes: Buffer): Promise<number> {
    return this.access.call((done) => fs.write(this.fd, bytes, 0, bytes.length, null, done));
  }

  /** Resolves when the content survives a power loss. */
  sync(): Promise<void> {
    return this.access.call((done) => fs.fsync(this.fd, done));
  }

  close(): Promise<void> {
    return this.access.call((done) => fs.close(this.fd, done), true);
  }
}
