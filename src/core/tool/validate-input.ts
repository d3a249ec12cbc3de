import { Validator } from "@cfworker/json-schema";
import { messageOf } from "../base/error.ts";
import { perObject, copyOf, type JsonObject } from "../base/json.ts";

const validatorOf = perObject(
  (schema: JsonObject) =>
    // of its own, as the validator writes into it
    new Validator(copyOf(schema) as ConstructorParameters<typeof Validator>[0], "2020-12", false),
);

/** Checks a value against JSON Schema 2020-12: null if it is valid, else the problems in one line. A missing or empty
 *  schema accepts everything; a schema that cannot be used is reported as a problem. */
export function validateInput(schema: JsonObject | null, input: unknown): string | null {
  if (!schema || Object.keys(schema).length === 0) return null;
  try {
    const { valid, errors } = validatorOf(schema).validate(input);
    if (valid) return null;
    const leaves = errors.filter(
      (error) => !["properties", "items", "$ref", "allOf"].includes(error.keyword),
    );
    return (leaves.length > 0 ? leaves : errors)
      .map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, "") || "input"}: ${error}`)
      .join("; ");
  } catch (error) {
    return `Schema validation error: ${messageOf(error)}`;
  }
}
