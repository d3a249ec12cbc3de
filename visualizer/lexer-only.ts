import type { Plugin } from "vite";

/**
 * Drops everything but the lexer of `marked` from the bundle. The HTML renderer is initialized when the module
 * is loaded, after its classes, so bundlers cannot drop it by themselves.
 */
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
        throw new Error("The structure of marked has changed: see lexer-only.ts");
      return { code: `${code.slice(0, end)}export { ${lexer.name} as Lexer };`, map: null };
    },
  },
};
