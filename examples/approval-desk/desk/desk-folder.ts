import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a desk keeps, so that one that is started again is the same: its pages go on. */
export type DeskSecrets = {
  /** The bearer token of the link. */
  readonly token: string;
  /** The password of the desk's own Postgres. */
  readonly password: string;
  /** The port that the page was served on last; absent at first. */
  readonly port?: number;
};

const secret = (): string => randomBytes(24).toString("base64url");

/** A folder with the files of a desk's Postgres, and with a file of its secrets that only its owner may read. */
export class DeskFolder {
  readonly #file: string;
  readonly postgres: string;
  readonly secrets: DeskSecrets;

  /** Throws if the folder cannot be written, or holds something else. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    if (process.getuid?.() === 0) chmodSync(folder, 0o711); // then Postgres runs as somebody else, who has to reach its files
    this.#file = join(folder, "desk.json");
    this.postgres = join(folder, "postgres");
    const known = this.#read();
    this.secrets = known ?? { token: secret(), password: secret() };
    if (!known) this.#write(this.secrets);
  }

  keepPort(port: number): void {
    this.#write({ ...this.secrets, port });
  }

  #read(): DeskSecrets | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    const found = JSON.parse(text) as Partial<DeskSecrets>;
    if (typeof found.token === "string" && typeof found.password === "string") return found as DeskSecrets;
    throw new Error(`${this.#file} is not a file of a desk: expected a token and a password. Delete it.`);
  }

  #write(secrets: DeskSecrets): void {
    writeFileSync(this.#file, JSON.stringify(secrets), { mode: 0o600 });
  }
}
