export declare function loadZod(): {
  readonly toJSONSchema: (
    schema: unknown,
    options: { readonly io: string; readonly target: string },
  ) => object;
};
