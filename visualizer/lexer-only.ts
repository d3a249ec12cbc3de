import type { Plugin } from "vite";

/** Leaves everything of `marked` but its lexer out of the bundle. What makes HTML is set up when the module is loaded, after its
 *  classes, so that no bundler may drop it by itself. */
export const lexerOnly: Plugin = {
  name: "lexer-only",
  apply: "build",
  transform: {
    filter: { id: /\/marked\.esm\.js$/ },
    handler(code) {
      const { body } = this.parse(code);
      const end = body.findLast(
        (each) =>
          each.type === "VariableDeclaration" &&
          each.declarations.some(({ init }) => init?.type === "ClassExpression"),
      )?.end;
      const lexer = body
        .flatMap((each) => (each.type === "ExportNamedDeclaration" ? each.specifiers : []))
        .find(({ exported }) => exported.type === "Identifier" && exported.name === "Lexer")?.local;
      if (end === undefined || lexer?.type !== "Identifier")
        throw new Error("marked is not as it was: see lexer-only.ts");
      return { code: `${code.slice(0, end)}export { ${lexer.name} as Lexer };`, map: null };
    },
  },
};
