import { z } from "zod";

/** The schema of a tool's arguments. */
export const schemaOf = (fields) =>
  z.object(
    Object.fromEntries(
      Object.entries(fields).map(([name, { type, description = "" }]) => [
        name,
        (type === "integer" ? z.number().int() : z.string()).describe(description),
      ]),
    ),
  );
