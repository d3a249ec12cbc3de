import type { AgentError } from "../../../core/base/error.ts";
import type { Json } from "../../../core/base/json.ts";
import type { Condition, Past, Pattern, Policy } from "./policy.ts";
import { tokensOf, wrongAt, type Token } from "./tokens.ts";

/** The fields of an event that are the session's own, and what they may be compared with: there is one agent and one caller in a session. */
const OWN: { readonly [field: string]: string } = {
  callerPrincipal: "principal",
  eventPrincipal: "principal",
  callerResource: "resource",
  eventResource: "resource",
};
/** The deepest nesting that is read. */
const DEEPEST = 200;
const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];

/** Reads policies, one after the other. */
export class PolicyParser {
  readonly #text: string;
  readonly #from: string;
  readonly #tokens: readonly Token[];
  #place = 0;
  #depth = 0;

  constructor(text: string, from: string) {
    this.#text = text;
    this.#from = from;
    this.#tokens = tokensOf(text, from);
  }

  policies(): readonly Policy[] {
    const policies: Policy[] = [];
    while (this.#now.kind !== "end") policies.push(this.#policy());
    return policies;
  }

  get #now(): Token {
    return this.#tokens[this.#place]!;
  }

  #wrong(problem: string, at = this.#now.at): AgentError {
    return wrongAt(this.#text, at, this.#from, problem);
  }

  #next(): Token {
    return this.#tokens[this.#place++]!;
  }

  #is(text: string): boolean {
    return this.#now.text === text && this.#now.kind !== "string" && this.#now.kind !== "end";
  }

  #skip(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#place++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw this.#wrong(`expected '${text}', found ${this.#now.text}`);
  }

  #name(what: string): string {
    if (this.#now.kind !== "name") throw this.#wrong(`expected ${what}, found ${this.#now.text}`);
    return this.#next().text;
  }

  #string(): string {
    if (this.#now.kind !== "string") throw this.#wrong(`expected a string, found ${this.#now.text}`);
    try {
      return JSON.parse(this.#next().text) as string;
    } catch {
      throw this.#wrong("the string has an escape that is not read", this.#tokens[this.#place - 1]!.at);
    }
  }

  #policy(): Policy {
    const { at } = this.#now;
    const notes = new Map<string, string>();
    while (this.#skip("@")) {
      const key = this.#name("the name of an annotation");
      if (!this.#skip("(")) continue;
      notes.set(key, this.#string());
      this.#expect(")");
    }
    const effect = this.#name("permit or forbid");
    if (effect !== "permit" && effect !== "forbid")
      throw this.#wrong(`expected permit or forbid, found ${effect}`, this.#tokens[this.#place - 1]!.at);
    const actions = this.#scope();
    const conditions: Condition[] = [];
    const past: Past[] = [];
    while (this.#is("when") || this.#is("unless")) {
      const isNot = this.#next().text === "unless";
      if (this.#is("guardrails")) throw this.#wrong("guardrails are not read: rules ask no other service");
      if (this.#skip("temporal")) past.push(...this.#block(() => this.#pasts(isNot)));
      else {
        const condition = this.#block(() => this.#or());
        conditions.push(isNot ? { kind: "not", of: condition } : condition);
      }
    }
    this.#expect(";");
    return {
      effect,
      id: notes.get("id"),
      description: notes.get("description"),
      actions,
      conditions,
      past,
      at,
    };
  }

  #block<Read>(read: () => Read): Read {
    this.#expect("{");
    const value = read();
    this.#expect("}");
    return value;
  }

  #scope(): readonly string[] | undefined {
    let actions: readonly string[] | undefined;
    this.#expect("(");
    while (!this.#skip(")")) {
      const { at } = this.#now;
      const name = this.#name("principal, action or resource");
      if (name === "action") actions = this.#actions();
      else if (name === "principal") {
        if (!this.#is(",") && !this.#is(")"))
          throw this.#wrong("who asks is not known to rules: expected a policy about every principal", at);
      } else if (name === "resource") {
        // the agent is what the policy protects
        if (this.#skip("==")) this.#reference();
        else if (!this.#is(",") && !this.#is(")"))
          throw this.#wrong("expected every resource, or one, which the agent stands for", at);
      } else throw this.#wrong(`expected principal, action or resource, found ${name}`, at);
      if (!this.#is(")")) this.#expect(",");
    }
    return actions;
  }

  #actions(): readonly string[] | undefined {
    if (this.#skip("==")) return [this.#reference()];
    if (!this.#skip("in")) return undefined;
    if (!this.#skip("[")) return [this.#reference()];
    const actions: string[] = [];
    while (!this.#skip("]")) {
      actions.push(this.#reference());
      if (!this.#is("]")) this.#expect(",");
    }
    return actions;
  }

  /** Reads `Namespace::Action::"id"`, and returns the id. */
  #reference(): string {
    this.#name("the name of an entity");
    for (;;) {
      this.#expect("::");
      if (this.#now.kind === "string") return this.#string();
      this.#name("the name of an entity");
    }
  }

  // conditions about the call that is judged

  #or(): Condition {
    const of = [this.#and()];
    while (this.#skip("||")) of.push(this.#and());
    return of.length === 1 ? of[0]! : { kind: "or", of };
  }

  #and(): Condition {
    const of = [this.#unary()];
    while (this.#skip("&&")) of.push(this.#unary());
    return of.length === 1 ? of[0]! : { kind: "and", of };
  }

  /** Reads something in which more of its kind may be. */
  #deeper<Read>(read: () => Read): Read {
    if (++this.#depth > DEEPEST) throw this.#wrong(`expected at most ${DEEPEST} levels`);
    const value = read();
    this.#depth--;
    return value;
  }

  #unary(): Condition {
    if (this.#skip("!")) return { kind: "not", of: this.#deeper(() => this.#unary()) };
    if (this.#skip("(")) {
      const condition = this.#deeper(() => this.#or());
      this.#expect(")");
      return condition;
    }
    const path = this.#contextPath();
    const by = COMPARISONS.find((each) => this.#is(each));
    if (by === undefined) return { kind: "compare", path, by: "==", value: true };
    this.#place++;
    const { at } = this.#now;
    const value = this.#literal();
    if (by !== "==" && by !== "!=" && typeof value !== "number")
      throw this.#wrong(`expected a number after ${by}`, at);
    return { kind: "compare", path, by, value };
  }

  /** Reads `context.input.a.b`, and returns the path in the arguments. */
  #contextPath(): readonly string[] {
    const { at } = this.#now;
    const path = this.#path();
    if (path[0] === "context" && path[1] === "input" && path.length > 2) return path.slice(2);
    throw this.#wrong(`expected an argument such as context.input.amount, found ${path.join(".")}`, at);
  }

  #path(): readonly string[] {
    const path = [this.#name("a field")];
    while (this.#skip(".")) path.push(this.#name("a field"));
    return path;
  }

  #literal(): Json {
    if (this.#now.kind === "string") return this.#string();
    if (this.#now.kind === "number") return Number(this.#next().text);
    if (this.#skip("true")) return true;
    if (this.#skip("false")) return false;
    throw this.#wrong(`expected a text, a number, true or false, found ${this.#now.text}`);
  }

  // conditions about the past

  #pasts(isNot: boolean): readonly Past[] {
    const { at } = this.#now;
    const found = [this.#past(isNot)];
    while (this.#skip("&&")) found.push(this.#past(isNot));
    if (isNot && found.length > 1)
      throw this.#wrong("expected one condition in `unless temporal`: write one policy for each", at);
    return found;
  }

  #past(isNot: boolean): Past {
    if (this.#skip("!")) return this.#deeper(() => this.#past(!isNot));
    if (this.#skip("(")) {
      const past = this.#deeper(() => this.#past(isNot));
      this.#expect(")");
      return past;
    }
    const { at } = this.#now;
    if (this.#skip("exists")) return { ...this.#counted(), isNot, at };
    if (this.#skip("formerly")) {
      const within = this.#window();
      const isInner = this.#skip("(");
      const pattern = this.#pattern();
      if (isInner) this.#expect(")");
      return { pattern, within, isNot, at };
    }
    throw this.#wrong(
      "expected `formerly within …`, or a count: previous, since, sums and macros are not read",
    );
  }

  #window(): string {
    this.#expect("within");
    return this.#duration();
  }

  #duration(): string {
    if (this.#now.kind !== "duration")
      throw this.#wrong(`expected a window such as 30m, found ${this.#now.text}`);
    return this.#next().text;
  }

  /** Reads `(n: Long). ((count …) == n && n >= 3)`. */
  #counted(): Pick<Past, "pattern" | "within" | "count"> {
    this.#expect("(");
    const bound = this.#name("the name of a variable");
    this.#expect(":");
    this.#expect("Long");
    this.#expect(")");
    this.#expect(".");
    this.#expect("(");
    const counted = this.#aggregate();
    this.#expect("==");
    this.#expect(bound);
    this.#expect("&&");
    this.#expect(bound);
    const by = COMPARISONS.find((each) => each !== "!=" && this.#is(each));
    if (by === undefined) throw this.#wrong(`expected a comparison, found ${this.#now.text}`);
    this.#place++;
    if (this.#now.kind !== "number") throw this.#wrong(`expected a number, found ${this.#now.text}`);
    const count = { by, than: Number(this.#next().text) };
    this.#expect(")");
    return { ...counted, count };
  }

  /** Reads `(count_within(1h, P))`, or `(count for (t: Timepoint). where (formerly within 1h (P && tp(t))))`. */
  #aggregate(): Pick<Past, "pattern" | "within"> {
    this.#expect("(");
    if (this.#skip("count_within")) {
      this.#expect("(");
      const within = this.#duration();
      this.#expect(",");
      const pattern = this.#pattern();
      this.#expect(")");
      this.#expect(")");
      return { within, pattern };
    }
    if (!this.#skip("count")) throw this.#wrong("expected a count: a sum leaves the call that is judged out");
    for (const each of ["for", "("]) this.#expect(each);
    const time = this.#name("the name of a variable");
    for (const each of [":", "Timepoint", ")", ".", "where", "("]) this.#expect(each);
    this.#expect("formerly");
    const within = this.#window();
    this.#expect("(");
    const pattern = this.#pattern();
    for (const each of ["&&", "tp", "(", time, ")", ")", ")", ")"]) this.#expect(each);
    return { within, pattern };
  }

  #pattern(): Pattern {
    const { at } = this.#now;
    const action = this.#reference();
    this.#expect("::");
    const event = this.#name("request or response");
    const same: [readonly string[], readonly string[]][] = [];
    const is: [readonly string[], Json][] = [];
    this.#expect("{");
    while (!this.#skip("}")) {
      this.#field(same, is);
      if (!this.#is("}")) this.#expect(",");
    }
    return { action, event, same, is, at };
  }

  #field(same: [readonly string[], readonly string[]][], is: [readonly string[], Json][]): void {
    const { at } = this.#now;
    const path = this.#path();
    this.#expect(":");
    if (this.#skip("_") || this.#skip("*")) return;
    const own = OWN[path[0]!];
    if (own !== undefined && path.length === 1) return this.#expect(own);
    if (path[0] !== "input" || path.length < 2)
      throw this.#wrong(`${path.join(".")} is not read: rules read arguments, and not results`, at);
    if (this.#is("context")) same.push([path.slice(1), this.#contextPath()]);
    else is.push([path.slice(1), this.#literal()]);
  }
}
