import { Config, Redacted, Schema } from "effect"

/** A setting as it is told of: on its page, and where it is wrong. */
export interface Setting {
  /** Its path in the file, such as `database.url`. */
  readonly name: string
  /** What it may be: "a whole number from 0 to 65535". */
  readonly takes: string
  readonly meaning: string
  /** What it is where nobody says: null where somebody has to, "" where it is nothing. */
  readonly otherwise: string | null
  readonly config: Config.Config<unknown>
}

/** The variable of a setting: `CARILLON_DATABASE_URL` of `database.url`. */
export const variableOf = (name: string): string => `CARILLON_${name.replaceAll(".", "_").toUpperCase()}`

const listOf = (isItem: (text: string) => boolean, most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const items = text.split(",")
      return items.length <= most && items.every(isItem)
    }),
  )

/** Each item has a name of its own, before its `=`. */
const areNamedOnce = Schema.makeFilter((text: string) => {
  const names = text.split(",").map((item) => item.slice(0, item.indexOf("=")))
  return new Set(names).size === names.length
})

/** A setting of which everything is said but what it is where nobody sets it. */
interface Described<A> {
  /** Somebody has to set it. */
  readonly needed: () => Config.Config<A>
  readonly or: (otherwise: A) => Config.Config<A>
  readonly orNone: () => Config.Config<A | undefined>
}

/** Settings as they are declared: each is told of once, and is the `Config` that reads it. */
export class SettingBook {
  readonly #prefix: string
  readonly #settings: Array<Setting>

  constructor(prefix = "", settings: Array<Setting> = []) {
    this.#prefix = prefix
    this.#settings = settings
  }

  get settings(): ReadonlyArray<Setting> {
    return this.#settings
  }

  /** The same book, for settings whose names begin so. */
  under(name: string): SettingBook {
    return new SettingBook(`${this.#prefix}${name}.`, this.#settings)
  }

  whole(name: string, from: number, to: number, meaning: string): Described<number> {
    const codec = Schema.Int.check(Schema.isBetween({ minimum: from, maximum: to }))
    return this.#described(name, `a whole number from ${from} to ${to}`, meaning, (path) => Config.schema(codec, path))
  }

  number(name: string, from: number, to: number, meaning: string): Described<number> {
    const codec = Schema.Finite.check(Schema.isBetween({ minimum: from, maximum: to }))
    return this.#described(name, `a number from ${from} to ${to}`, meaning, (path) => Config.schema(codec, path))
  }

  flag(name: string, meaning: string): Described<boolean> {
    return this.#described(name, "true or false", meaning, (path) => Config.schema(Schema.Boolean, path))
  }

  choice<const A extends string>(name: string, among: ReadonlyArray<A>, meaning: string): Described<A> {
    return this.#described(name, among.map((each) => `\`${each}\``).join(" or "), meaning, (path) =>
      Config.schema(Schema.Literals(among), path),
    )
  }

  text(name: string, takes: string, pattern: RegExp, meaning: string): Described<string> {
    const codec = Schema.String.check(Schema.isPattern(pattern))
    return this.#described(name, takes, meaning, (path) => Config.schema(codec, path))
  }

  secret(name: string, takes: string, pattern: RegExp, meaning: string): Described<Redacted.Redacted> {
    const codec = Schema.String.check(Schema.isPattern(pattern))
    return this.#described(name, takes, meaning, (path) =>
      Config.map(Config.schema(codec, path), (text) => Redacted.make(text)),
    )
  }

  /** Several of one kind: a list in the file, and a text with commas between them in a variable. */
  list(
    name: string,
    takes: string,
    isItem: (text: string) => boolean,
    most: number,
    meaning: string,
  ): Described<ReadonlyArray<string>> {
    const codec = listOf(isItem, most)
    return this.#described<ReadonlyArray<string>>(name, `${takes}, at most ${most}`, meaning, (path) =>
      Config.map(Config.schema(codec, path), (text) => text.split(",")),
    )
  }

  /** The same of which nothing may be told; read as the one text that it is. No two have the same name before their `=`. */
  secretList(
    name: string,
    takes: string,
    isItem: (text: string) => boolean,
    most: number,
    meaning: string,
  ): Described<Redacted.Redacted> {
    const codec = listOf(isItem, most).check(areNamedOnce)
    return this.#described(name, `${takes}, at most ${most}`, meaning, (path) =>
      Config.map(Config.schema(codec, path), (text) => Redacted.make(text)),
    )
  }

  #described<A>(name: string, takes: string, meaning: string, read: (path: string) => Config.Config<A>): Described<A> {
    const full = `${this.#prefix}${name}`
    const told = <B>(config: Config.Config<B>, otherwise: string | null): Config.Config<B> => {
      this.#settings.push({ name: full, takes, meaning, otherwise, config })
      return config
    }
    return {
      needed: () => told(read(full), null),
      or: (otherwise) => told(Config.withDefault(read(full), otherwise), String(otherwise)),
      orNone: () => told(Config.withDefault(read(full), undefined), ""),
    }
  }
}
