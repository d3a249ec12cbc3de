import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { addressFilePath, readAddressFile, type AddressFile } from "../protocol/hub-address.ts";

/**
 * Writes the address of the hub, readable for its owner only. The last hub that was started is the one that
 * agents find.
 */
export async function writeAddress(address: AddressFile, home?: string): Promise<void> {
  const file = addressFilePath(home);
  const part = `${file}.${process.pid}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(part, { force: true });
  await writeFile(part, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
  await rename(part, file);
}

/** Removes the address, unless another hub has written its own. */
export async function removeAddress({ workerToken }: AddressFile, home?: string): Promise<void> {
  const current = await readAddressFile(home);
  if (current?.workerToken === workerToken) await rm(addressFilePath(home), { force: true });
}
