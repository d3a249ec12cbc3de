import { cpSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createActor, toPromise, type AnyActorRef, type Snapshot } from "xstate";
import type { Decision, PendingCall } from "agentchart";
import { MAX_REWRITES, newsroom } from "../newsroom.ts";

const STAFF = ["archivist", "reporter", "writer", "editor"];
const FACTS =
  "The harbour was built in 1912 and closed for ships in 1987. Since May people swim in the harbour again. The water is clean.";

function scratch(): string {
  const root = mkdtempSync(join(tmpdir(), "agentchart-newsroom-"));
  return root;
}

/** Runs a newsroom to its end. `decide` answers for the person; `at` is called after each step of it and at each event of its staff. */
async function run(
  folder: string,
  decide: (call: PendingCall) => Decision,
  snapshot?: Snapshot<unknown>,
  at: (name: string, persist: () => string) => void = () => {},
) {
  mkdirSync(folder, { recursive: true });
  let isStarted = false;
  const asked = new Set<string>();
  const seen = (name: string): void => {
    if (isStarted && actor.getSnapshot().status === "active")
      at(name, () => JSON.stringify(actor.getPersistedSnapshot()));
  };
  const actor = createActor(newsroom({ folder }), {
    input: { topic: "harbour" },
    ...(snapshot && { snapshot }),
    inspect: (event) => {
      if (event.type !== "@xstate.actor") return;
      const ref = event.actorRef as AnyActorRef;
      if (!STAFF.includes(ref.id) || ref._parent?._parent) return;
      ref.on("agent.event", ({ event: { type } }: { event: { type: string } }) => seen(`${ref.id} ${type}`));
    },
  });
  actor.subscribe(({ children, value }) => {
    seen(`step ${JSON.stringify(value)}`);
    for (const call of children["editor"]?.getSnapshot().pending ?? []) {
      if (asked.has(call.callId)) continue;
      asked.add(call.callId);
      const { callId } = call;
      queueMicrotask(() => actor.send({ type: "DECIDE", callId, decision: decide(call) }));
    }
  });
  actor.start();
  isStarted = true;
  return { ...(await toPromise(actor)), asked: asked.size };
}

/** The ids of an actor and those above it, the newsroom excepted. */
function pathOf({ id, _parent }: AnyActorRef): string {
  if (!_parent) return "";
  const above = pathOf(_parent);
  return above === "" ? id : `${above}/${id}`;
}

/** Has the article rewritten once. */
const once = ({ input }: PendingCall): Decision =>
  (input["text"] as string).endsWith(")") ? "approve" : { deny: "be shorter" };

test("its agents and what they wait for are one tree of actors, for every inspector of XState", async () => {
  const created: { readonly path: string; readonly rootId: string }[] = [];
  const actor = createActor(newsroom({ folder: join(scratch(), "published") }), {
    input: { topic: "harbour" },
    inspect: ({ type, actorRef, rootId }) => {
      if (type === "@xstate.actor") created.push({ path: pathOf(actorRef as AnyActorRef), rootId });
    },
  });
  const decided = new Set<string>();
  actor.subscribe(({ children }) => {
    for (const call of children["editor"]?.getSnapshot().pending ?? []) {
      if (decided.has(call.callId)) continue;
      decided.add(call.callId);
      queueMicrotask(() => actor.send({ type: "DECIDE", callId: call.callId, decision: once(call) }));
    }
  });
  await toPromise(actor.start());
  expect(new Set(created.map(({ rootId }) => rootId))).toEqual(new Set([actor.sessionId]));
  const paths = created.map(({ path }) => path);
  for (const name of STAFF) {
    expect(paths).toContain(name);
    expect(paths).toContain(`${name}/${name}`); // its chart
    expect(paths).toContain(`${name}/${name}/callModel`);
  }
  expect(paths).toContain("editor/editor/tool.publish.1");
});

test("two agents research at once, a person has the article rewritten, and then it is published", async () => {
  const folder = join(scratch(), "published");
  expect(await run(folder, once)).toEqual({ article: `${FACTS} (be shorter)`, isPublished: true, asked: 2 });
  expect(readdirSync(folder)).toHaveLength(1);
});

test("a person who is never content has the article rewritten only so often", async () => {
  const folder = join(scratch(), "published");
  const end = await run(folder, () => ({ deny: "no" }));
  expect(end).toMatchObject({ isPublished: false, asked: MAX_REWRITES + 1 });
  expect(readdirSync(folder)).toEqual([]);
});

test("restored from what was persisted at any event of its run it comes to the same end, and publishes once", async () => {
  const root = scratch();
  const cuts: { readonly name: string; readonly snapshot: string; readonly folder: string }[] = [];
  await run(join(root, "uncut"), once, undefined, (name, persist) => {
    const folder = join(root, `cut-${cuts.length}`);
    cpSync(join(root, "uncut"), folder, { recursive: true });
    cuts.push({ name, snapshot: persist(), folder });
  });
  expect(cuts.length).toBeGreaterThan(60);
  for (const { name, snapshot, folder } of cuts) {
    const { article, isPublished } = await run(folder, once, JSON.parse(snapshot) as Snapshot<unknown>);
    expect({ name, article, isPublished }).toEqual({
      name,
      article: `${FACTS} (be shorter)`,
      isPublished: true,
    });
    expect({ name, files: readdirSync(folder).length }).toEqual({ name, files: 1 });
  }
});
