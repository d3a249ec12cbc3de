// src/cli/knowledge holds the commands for the documents that agents look things up in.
import { boolean, defineCommand, integer, required, string, withDefault } from "../define-command.ts";
import { JSON_RESULT } from "../shared-flags.ts";

const STORE = {
  store: required(
    string("STORE", "where the passages are: FILE, sqlite:FILE or postgres://USER@HOST/DATABASE"),
  ),
};
const EMBED = {
  embed: string("MODEL", "embedding model that makes the vectors; without it words alone are searched", {
    Environment: `OPENAI_API_KEY     key for OpenAI, or for the server of --base-url
OPENAI_BASE_URL    default of --base-url
DASHSCOPE_API_KEY  key for DashScope, which is used if neither of the above is set`,
  }),
  dimensions: integer("N", "length of the vectors, for models that are not OpenAI's"),
  baseUrl: string("URL", "server with the embeddings API"),
};

export const add = defineCommand({
  name: "knowledge add",
  description: "Read the documents of a folder into a store, as far as they are not there already",
  args: { path: required(string("path", "folder or file of text, Markdown, HTML or PDF")) },
  flags: {
    ...STORE,
    ...EMBED,
    size: withDefault(integer("N", "most characters of a passage"), 1_000),
    prune: boolean("remove the documents of this folder whose files are gone"),
    ...JSON_RESULT,
  },
  examples: [
    "knowledge add manuals --store manuals.db",
    "knowledge add manuals --store manuals.db --embed text-embedding-3-small",
  ],
  sections: {
    Documents: `PDF needs the package unpdf. A document is called like its folder and its path in it: manuals/faq.md.
Files that are damaged, larger than 20 MB or links out of the folder are named and left out.
After Ctrl-C, or if the process was killed, the same command goes on.`,
    "Exit codes": `0  success
1  failure, or a file was left out
2  wrong usage`,
  },
});

export const search = defineCommand({
  name: "knowledge search",
  description: "Print the passages that an agent would find, best first",
  args: { query: required(string("query", "what to look for")) },
  flags: { ...STORE, ...EMBED, limit: withDefault(integer("N", "most passages"), 5), ...JSON_RESULT },
  examples: ['knowledge search "How long does a refund take?" --store manuals.db'],
});

export const list = defineCommand({
  name: "knowledge ls",
  description: "List the documents of a store, as a table, or as JSON lines outside a terminal",
  flags: { ...STORE, ...JSON_RESULT },
  examples: ["knowledge ls --store manuals.db"],
});

export const remove = defineCommand({
  name: "knowledge rm",
  description: "Delete a document from a store",
  args: { source: string("source", 'the document, as "knowledge ls" prints it') },
  flags: { all: boolean("delete all documents"), ...STORE, ...JSON_RESULT },
  examples: ["knowledge rm manuals/faq.md --store manuals.db", "knowledge rm --all --store manuals.db"],
});
