import { openServer } from "../../server/open-server.ts";

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
};
type Content = { readonly [type: string]: { readonly schema?: Schema } };
type Operation = {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: {
    readonly [status: string]: { readonly description: string; readonly content?: Content };
  };
};
type Document = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
};

/** The name of a schema, or a short form of it. */
function shortOf(schema: Schema): string {
  const { $ref, type, items, properties, additionalProperties } = schema;
  if ($ref) return $ref.split("/").at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(shortOf))].join(" or ");
  if (schema.allOf) return schema.allOf.map(shortOf).join(" and ");
  if (type === "array") return `array of ${items ? shortOf(items) : "anything"}`;
  if (properties) {
    const of = Object.entries(properties).map(
      ([name, value]) => `${name}${schema.required?.includes(name) ? "" : "?"}: ${shortOf(value)}`,
    );
    return `{ ${of.join(", ")} }`;
  }
  if (typeof additionalProperties === "object") return `object of ${shortOf(additionalProperties)}`;
  return typeof type === "string" ? type : (type?.join(" or ") ?? "anything");
}

const about = (text: string | undefined): string => (text ? `. ${text.replaceAll(/\s+/g, " ")}` : "");
const fieldsOf = ({ properties = {}, required = [] }: Schema): string =>
  Object.entries(properties)
    .map(
      ([name, value]) =>
        `- \`${name}\`${required.includes(name) ? "" : " (optional)"}: \`${shortOf(value)}\`${about(value.description)}\n`,
    )
    .join("");

function bodyOf(schema: Schema): string {
  return schema.properties ? `Body:\n\n${fieldsOf(schema)}\n` : `Body: \`${shortOf(schema)}\`\n\n`;
}

/** What all routes below /v1 may answer. */
const COMMON = ["400", "401", "403", "404", "409", "413", "415", "429", "500", "503"];

function section(path: string, method: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, required, description, schema }) =>
      `- \`${name}\` in the ${place}${required ? "" : " (optional)"}: \`${shortOf(schema)}\`${about(description ?? schema.description)}\n`,
  );
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const isCommon = path.startsWith("/v1/");
  const answers = Object.entries(operation.responses)
    .filter(([status]) => !isCommon || !COMMON.includes(status))
    .map(([status, { description, content = {} }]) => {
      const types = Object.entries(content).map(
        ([type, { schema }]) => `, \`${type}\`${schema ? `: \`${shortOf(schema)}\`` : ""}`,
      );
      return `- ${status} ${description}${types.join("")}\n`;
    });
  return `### \`${method.toUpperCase()} ${path}\`

${[operation.summary.replace(/\.?$/, "."), operation.description].filter(Boolean).join(" ")}

${parameters.length > 0 ? `Parameters:\n\n${parameters.join("")}\n` : ""}${body ? bodyOf(body) : ""}Answers:\n\n${answers.join("")}\n`;
}

/** The page of the HTTP API, of the document that the server serves. */
export async function httpPage(): Promise<string> {
  const { app } = openServer();
  const document = (await (await app.request("/openapi.json")).json()) as Document;
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(path, method, operation)),
  );
  const session = document.paths["/v1/sessions"]!["get"]!.responses;
  const errors = COMMON.map((status) => `- ${status} ${session[status]!.description}\n`);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `### ${name}\n\n${schema.properties ? fieldsOf(schema) : `\`${shortOf(schema)}\`\n`}\n`,
  );
  return `# The HTTP API

The routes of \`agentchart serve\` and \`createServer\`, of \`GET /openapi.json\`, from which clients are generated too.
[Workers and the server](../workers.md) says how it is run, and which tokens and limits it has.

## Errors

Each route below \`/v1\` may answer with one of these, as \`application/problem+json\` with the \`code\` of an [error](../guide/errors.md):

${errors.join("")}
## Routes

${routes.join("")}## Schemas

${schemas.join("")}`;
}
