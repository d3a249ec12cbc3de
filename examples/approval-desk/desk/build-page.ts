import { join } from "node:path";
import { build } from "esbuild";

const PAGE = join(import.meta.dirname, "../page");
/** With it, `agentchart` means the sources of the repository. */
const SOURCES = "--conditions=agentchart-source";

/** The files of the page that are made: its script, its style sheet, and the fonts by their paths. */
export type BuiltPage = {
  readonly script: string;
  readonly styles: string;
  readonly fonts: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
};

/** Bundles the page for browsers. */
export async function buildPage(): Promise<BuiltPage> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGE, "main.tsx"), join(PAGE, "styles/index.css")],
    outdir: "/",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: ["chrome130", "firefox132", "safari18"],
    jsx: "automatic",
    loader: { ".woff2": "file" },
    assetNames: "fonts/[name]",
    publicPath: "/",
    conditions: process.execArgv.includes(SOURCES) ? ["agentchart-source"] : [],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))!.text;
  const fonts = outputFiles.filter(({ path }) => path.endsWith(".woff2"));
  return {
    script: textOf(".js"),
    styles: textOf(".css"),
    fonts: new Map(fonts.map(({ path, contents }) => [path, new Uint8Array(contents)])),
  };
}
