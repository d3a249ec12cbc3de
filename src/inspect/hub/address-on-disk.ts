import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { addressFile, readAddressFile, type AddressFile } from "../protocol/address.ts";

/** Writes where the hub is, for its owner only; the newest hub is the one that is found. */
export async function writeAddress(address: AddressFile, home?: string): Promise<void> {
  const file = addressFile(home);
  const part = `${file}.${process.pid}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(part, { force: true });
  await writeFile(part, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
  await rename(part, file);
}

/** Removes it, unless another hub has written its own. */
export async function removeAddress({ workerToken }: AddressFile, home?: string): Promise<void> {
  const there = await readAddressFile(home);
  if (there?.workerToken === workerToken) await rm(addressFile(home), { force: true });
}
