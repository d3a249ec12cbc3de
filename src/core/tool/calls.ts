import type { Json, JsonObject } from "../base/json.ts";
import type { AnyCall } from "./pending.ts";
import type { Schema, StandardSchema, Tool, AnyTool } from "./types.ts";

/** The stand-in for the names that the compiler does not know, such as those of tools of MCP servers, of hooks and of clients. No tool can
 *  have a name of this form, so that a comparison with the name of a tool leaves its calls only. Compare such a name as a string: `const
 *  name: string = call.name`. */
export type OtherTool = `(${string})`;

/** JSON as a model writes it for a value of this type: what is optional may also be null. */
type Written<T> = unknown extends T
  ? Json
  : T extends object
    ? {
        readonly [K in keyof T]: Written<Exclude<T[K], undefined>> | (undefined extends T[K] ? null : never);
      }
    : T;

/** The arguments that a model writes for a tool with this schema: those that are preset are not among them. */
export type ArgumentsOf<S extends Schema, Preset extends string = never> = S extends StandardSchema
  ? Written<Omit<NonNullable<S["~standard"]["types"]>["input"], Preset>>
  : JsonObject;

type CallOf<T> =
  T extends Tool<never, infer Name, infer Arguments>
    ? string extends Name
      ? never
      : { readonly name: Name; readonly input: Arguments extends JsonObject ? Arguments : JsonObject }
    : never;

/** The calls whose names are known, and beside them those that are not. */
type OrOther<Calls extends AnyCall> = [Calls] extends [never]
  ? AnyCall
  : Calls | { readonly name: OtherTool; readonly input: JsonObject };

/** The calls of an agent with these tools. The name of a call tells the type of its arguments: it is what the schema of the tool takes. The
 *  compiler believes the model here: a call that the tool refuses may have other arguments, and so may a call of a sub-agent's tool that
 *  has the same name. */
export type CallsOf<T extends readonly AnyTool[]> = OrOther<CallOf<T[number]>>;

/** Those of these calls whose names are known. */
type Known<Calls extends AnyCall> = Calls extends AnyCall
  ? string extends Calls["name"]
    ? never
    : Calls
  : never;

/** The tools of a persona. */
type ToolsOf<P> = P extends { readonly tools?: (infer T extends readonly unknown[]) | undefined }
  ? T[number]
  : never;

/** The calls of an agent with these tools, a toolkit with these calls, and these personas. */
export type CallsIn<T extends readonly AnyTool[], Kit extends AnyCall, Personas> = OrOther<
  CallOf<T[number] | ToolsOf<Personas[keyof Personas]>> | Known<Kit>
>;
