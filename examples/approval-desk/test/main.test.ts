import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, opened, run } from "./run-main.ts";

test("One command starts everything, and after a kill -9 the same desk, whose cases go on; Ctrl-C ends it", async () => {
  const folder = newFolder();
  const killed = run({ folder });
  const { url, token, headers } = await opened(killed);
  const body = JSON.stringify({ agent: "desk", input: "Order 1004, money back please" });
  const made = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
  const { id } = (await made.json()) as { readonly id: string };
  await expect.poll(() => killed.output.stdout).toContain(`left desk/${id}, suspended`);
  killed.child.kill("SIGKILL");
  await killed.ended;

  const desk = run({ folder });
  expect(await opened(desk)).toMatchObject({ url, token });
  const found = await fetch(`${url}/v1/sessions/${id}`, { headers });
  expect(await found.json()).toMatchObject({ phase: "suspended", pending: [{ name: "refund" }] });
  expect(statSync(join(folder, "desk.json")).mode & 0o077).toBe(0);

  desk.child.kill("SIGINT");
  expect(await desk.ended).toBe(0);
  expect(desk.output.stdout.trimEnd().split("\n").at(-1)).toBe("Closed.");
  expect(desk.output.stderr).toBe("");
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test("A file that is not a desk's is refused, and not overwritten", async () => {
  const folder = newFolder();
  const file = join(folder, "desk.json");
  writeFileSync(file, "{}");
  const { output, ended } = run({ folder });
  expect(await ended).toBe(1);
  expect(output.stderr).toContain(`${file} is not a file of a desk: expected a token and a password.`);
  expect(readFileSync(file, "utf8")).toBe("{}");
});

test("explains itself", async () => {
  const { output, ended } = run({ folder: newFolder() }, "--help");
  expect(await ended).toBe(0);
  expect(output.stdout).toContain("npm run desk");
});
