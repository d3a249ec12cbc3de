import type { AgentConfig, Decision, SessionOptions } from "agentchart";
import { agentLogic } from "agentchart/team";
import { assign, sendTo, setup } from "xstate";
import { askAround, editorModel, publishInto, researcherModel, searchArchive, writerModel } from "./staff.ts";

/** Where the agents have their sessions (without a store: in the persisted snapshot), and where articles appear. */
export type NewsroomOptions = Pick<AgentConfig, "store"> & {
  readonly sessionOptions?: Pick<SessionOptions, "leaseMs">;
  readonly folder: string;
};

type Context = {
  readonly topic: string;
  readonly archive: string;
  readonly street: string;
  readonly article: string;
  /** What a person wants to be different. */
  readonly wish: string | undefined;
  readonly rewrites: number;
};

/** How often an article is written anew. */
export const MAX_REWRITES = 2;

const DENIED = "Permission denied by user: ";

/** The chart of a newsroom: two agents research at once, one writes, one edits and asks a person; and while the person wants something
 *  to be different, but not for ever, the article is written anew. */
export function newsroom({ folder, ...where }: NewsroomOptions) {
  return setup({
    types: {
      context: {} as Context,
      input: {} as { readonly topic: string },
      output: {} as { readonly article: string; readonly isPublished: boolean },
      events: {} as { type: "DECIDE"; callId: string; decision: Decision },
    },
    actors: {
      archivist: agentLogic({
        name: "archivist",
        model: researcherModel("search_archive"),
        sysPrompt: "You find out about the topic that you are told, with search_archive.",
        tools: [searchArchive],
        ...where,
      }),
      reporter: agentLogic({
        name: "reporter",
        model: researcherModel("ask_around"),
        sysPrompt: "You find out about the topic that you are told, with ask_around.",
        tools: [askAround],
        ...where,
      }),
      writer: agentLogic({
        name: "writer",
        model: writerModel,
        sysPrompt: "You write two sentences from the facts, and heed the wish if there is one.",
        ...where,
      }),
      editor: agentLogic({
        name: "editor",
        model: editorModel,
        sysPrompt: "Publish the text as it is, with publish. Then answer with the exact words of its result.",
        tools: [publishInto(folder)],
        ...where,
      }),
    },
    guards: {
      isPublished: (_, { said }: { readonly said: string }) => said.startsWith("Published"),
      mayRewrite: ({ context }) => context.rewrites < MAX_REWRITES,
    },
  }).createMachine({
    id: "newsroom",
    context: ({ input }) => ({
      topic: input.topic,
      archive: "",
      street: "",
      article: "",
      wish: undefined,
      rewrites: 0,
    }),
    output: ({ context, event }) => ({
      article: context.article,
      isPublished: (event as { readonly type: string }).type === "xstate.done.state.newsroom.published",
    }),
    initial: "researching",
    states: {
      researching: {
        type: "parallel",
        onDone: "writing",
        states: {
          archive: {
            initial: "searching",
            states: {
              searching: {
                invoke: {
                  id: "archivist",
                  src: "archivist",
                  input: ({ context }) => ({ message: context.topic }),
                  onDone: { target: "found", actions: assign({ archive: ({ event }) => event.output.text }) },
                  onError: "found", // the other one may have found enough
                },
              },
              found: { type: "final" },
            },
          },
          street: {
            initial: "asking",
            states: {
              asking: {
                invoke: {
                  id: "reporter",
                  src: "reporter",
                  input: ({ context }) => ({ message: context.topic }),
                  onDone: { target: "heard", actions: assign({ street: ({ event }) => event.output.text }) },
                  onError: "heard",
                },
              },
              heard: { type: "final" },
            },
          },
        },
      },
      writing: {
        invoke: {
          id: "writer",
          src: "writer",
          input: ({ context: { archive, street, wish } }) => ({
            message: [`Facts: ${archive} ${street}`, ...(wish === undefined ? [] : [`Wish: ${wish}`])].join(
              "\n",
            ),
          }),
          onDone: { target: "editing", actions: assign({ article: ({ event }) => event.output.text }) },
          onError: "spiked",
        },
      },
      editing: {
        invoke: {
          id: "editor",
          src: "editor",
          input: ({ context }) => ({ message: context.article }),
          onSnapshot: {}, // a step of the newsroom for each of the editor, so that what it waits for is seen
          onDone: [
            {
              guard: { type: "isPublished", params: ({ event }) => ({ said: event.output.text }) },
              target: "published",
            },
            {
              guard: "mayRewrite",
              target: "writing",
              actions: assign({
                wish: ({ event }) => event.output.text.replace(DENIED, ""),
                rewrites: ({ context }) => context.rewrites + 1,
              }),
            },
            { target: "spiked" },
          ],
          onError: "spiked",
        },
        on: {
          DECIDE: {
            actions: sendTo("editor", ({ event: { callId, decision } }) => ({
              type: "decide",
              callId,
              decision,
            })),
          },
        },
      },
      published: { type: "final" },
      spiked: { type: "final" },
    },
  });
}
