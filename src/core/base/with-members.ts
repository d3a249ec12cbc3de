/** Returns an object with some other members; the rest is its own, bound to it. */
export const withMembers = <T extends object>(real: T, others: { readonly [Name in keyof T]?: T[Name] }): T =>
  new Proxy(real, {
    get(target, key) {
      if (Object.hasOwn(others, key)) return others[key as keyof T];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
