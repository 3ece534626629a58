import Mustache from "mustache";

/*
 * Mustache templates whose authors are not trusted, in bounded time and memory: the work of nested lists multiplies, and
 * the time to parse some templates grows with the square of their length.
 */

/** In characters. */
const MAX_LENGTH = 16 * 1024;

/** Mustache looks for the end of a tag once from each space. */
const MANY_SPACES = /\s{100}/;

/** What a rendering may do: visit a tag, look up a part of a name in one scope, or convert a value to text. */
const MAX_STEPS = 100_000;

/** The longest result, in characters; an event has at most 1 MiB, and takes twice that as JSON within JSON. */
const MAX_RESULT = 4 * 1024 * 1024;

export function templateProblem(template: string): string | undefined {
  try {
    const repeated = repeatedSection(new Bounded(String).parse(template));
    return (
      repeated && `must not have the section ${repeated} within itself, since each would multiply the work`
    );
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Renders a template. It reaches only the view's own properties: no functions, prototypes or partials.
 * @param escaped applied to values in double braces
 * @throws Error that begins with `must`, for a template that is not valid, or whose result takes too much
 */
export function renderTemplate(template: string, view: object, escaped: (text: string) => string): string {
  const bounded = new Bounded(escaped);
  return bounded.render(template, new Scope(view, undefined, (count) => bounded.spend(count)));
}

type Tokens = ReturnType<typeof Mustache.parse>;

function repeatedSection(tokens: Tokens, outer: readonly string[] = []): string | undefined {
  for (const [type, name, , , inner] of tokens) {
    if (type === "#" && outer.includes(name)) return name;
    if (!Array.isArray(inner)) continue;
    const found = repeatedSection(inner, type === "#" ? [...outer, name] : outer);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Counts what a single rendering does. A new one for each, since a writer keeps all templates it has parsed. */
class Bounded extends Mustache.Writer {
  readonly #escaped: (text: string) => string;
  #steps = 0;
  #length = 0;

  constructor(escaped: (text: string) => string) {
    super();
    this.#escaped = escaped;
  }

  spend(steps: number) {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new Error(`must not take more than ${MAX_STEPS} steps for an event`);
  }

  override parse(template: string): Tokens {
    if (template.length > MAX_LENGTH) throw new Error(`must have at most ${MAX_LENGTH} characters`);
    if (MANY_SPACES.test(template)) throw new Error("must not have 100 spaces in a row");
    try {
      return super.parse(template);
    } catch (error) {
      throw new Error(`must be a Mustache template: ${(error as Error).message}`);
    }
  }

  override renderTokens(...args: Parameters<Mustache.Writer["renderTokens"]>) {
    this.spend(args[0].length + 1);
    return super.renderTokens(...args);
  }

  override rawValue([, text]: string[]) {
    return this.#counted(text!);
  }

  override unescapedValue([, name]: string[], scope: Mustache.Context) {
    return this.#counted(this.#toText(scope.lookup(name!)));
  }

  override escapedValue([, name]: string[], scope: Mustache.Context) {
    return this.#counted(this.#escaped(this.#toText(scope.lookup(name!))));
  }

  #counted(text: string) {
    this.#length += text.length;
    if (this.#length > MAX_RESULT) throw new Error(`must not give more than ${MAX_RESULT} characters`);
    return text;
  }

  /** As `String` does it, but an object may have a `toString` that is not a function. */
  #toText(value: unknown): string {
    this.spend(1);
    if (Array.isArray(value)) return value.map((item) => this.#toText(item)).join();
    return typeof value === "object" && value !== null ? "[object Object]" : String(value ?? "");
  }
}

/** What names refer to at one place of a template. */
class Scope extends Mustache.Context {
  readonly #spend: (steps: number) => void;

  constructor(view: unknown, parent: Scope | undefined, spend: (steps: number) => void) {
    super(view, parent);
    this.#spend = spend;
  }

  override push(view: unknown) {
    return new Scope(view, this, this.#spend);
  }

  /** In the innermost scope that has the whole path. */
  override lookup(name: string): unknown {
    if (name === ".") return this.view;
    const path = name.split(".");
    for (let scope: Mustache.Context | undefined = this; scope; scope = scope.parent) {
      this.#spend(path.length);
      const value = path.reduce(ownValue, scope.view);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

const ownValue = (value: unknown, key: string): unknown =>
  value !== undefined && value !== null && Object.hasOwn(value, key)
    ? value[key as keyof typeof value]
    : undefined;
