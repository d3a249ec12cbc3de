import { configError } from "./error.ts";

/**
 * Returns what an import of an optional package does if it fails: it throws `config/invalid` with the command that installs `of`. `user` is
 * what needs the package, such as "mcp".
 */
export const missingPackage =
  (user: string, of: string) =>
  (cause: unknown): never => {
    throw configError(`${user} needs the package ${of}: npm install ${of}`, { cause });
  };
