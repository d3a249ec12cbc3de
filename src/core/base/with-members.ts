/** Returns an object with some other members; the rest is its own, bound to it. It may be frozen. */
export const withMembers = <T extends object>(real: T, others: { readonly [Name in keyof T]?: T[Name] }): T =>
  new Proxy(Object.create(real) as T, {
    get(_, key) {
      if (Object.hasOwn(others, key)) return others[key as keyof T];
      const member: unknown = Reflect.get(real, key, real);
      return typeof member === "function" ? (member.bind(real) as unknown) : member;
    },
    set: (_, key, value) => Reflect.set(real, key, value, real),
  });
