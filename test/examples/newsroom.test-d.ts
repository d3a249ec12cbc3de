// Checked by `npm run typecheck`, never run.
import { createActor } from "xstate";
import { expectTypeOf } from "vitest";
import type { PendingCall } from "agentchart";
import { newsroom } from "../../examples/newsroom/newsroom.ts";

const actor = createActor(newsroom({ folder: "published" }), { input: { topic: "harbour" } });
const { context, children, output } = actor.getSnapshot();
expectTypeOf(context.archive).toEqualTypeOf<string>();
expectTypeOf(output).toEqualTypeOf<{ readonly article: string; readonly isPublished: boolean } | undefined>();
expectTypeOf(children["editor"]!.getSnapshot().pending).toExtend<readonly PendingCall[]>();
actor.send({ type: "DECIDE", callId: "call_1", decision: { deny: "be shorter" } });
// @ts-expect-error: a decision is about a call
actor.send({ type: "DECIDE", decision: "approve" });
// @ts-expect-error: there is no such decision
actor.send({ type: "DECIDE", callId: "call_1", decision: "perhaps" });
// @ts-expect-error: a newsroom has a topic
createActor(newsroom({ folder: "published" }), { input: {} });
