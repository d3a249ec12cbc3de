/** The environment of a child process that inherits nothing but where programs and compiled sources are. */
export const BARE_ENV: { readonly [name: string]: string } = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
