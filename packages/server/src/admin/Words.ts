import { Wrong } from "../settings/SettingsFile.ts"

/** An option of a command. */
export interface AdminOption {
  /** What stands for its value, such as `N`. */
  readonly value: string
  readonly meaning: string
  readonly isRepeatable?: boolean
}

/** The furthest page that may be asked for. */
const mostPages = 10_000

/** What was said to a command: its arguments in their order, and its options. */
export class Words {
  readonly #arguments: ReadonlyArray<string>
  readonly #options: Readonly<Record<string, ReadonlyArray<string>>>

  constructor(arguments_: ReadonlyArray<string>, options: Readonly<Record<string, ReadonlyArray<string>>>) {
    this.#arguments = arguments_
    this.#options = options
  }

  /** The argument that the command cannot do without. */
  argument(nth = 0): string {
    const text = this.#arguments[nth]
    if (text === undefined) throw new Wrong(["An argument is missing; see --help."])
    return text
  }

  argumentOrNone(nth = 0): string | undefined {
    return this.#arguments[nth]
  }

  texts(option: string): ReadonlyArray<string> {
    return this.#options[option] ?? []
  }

  text(option: string): string | undefined {
    return this.texts(option).at(-1)
  }

  number(option: string): number | undefined {
    const text = this.text(option)
    if (text === undefined) return undefined
    const value = /^-?\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
    return Number.isNaN(value) ? refuse(option, "must be a number") : value
  }

  whole(option: string): number | undefined {
    const value = this.number(option)
    if (value === undefined || (Number.isInteger(value) && value >= 0)) return value
    return refuse(option, "must be a whole number")
  }

  /** A page, from 1 on; none is further than those of `/v2`. */
  page(option: string): number | undefined {
    const value = this.whole(option)
    return value === undefined || (value >= 1 && value <= mostPages)
      ? value
      : refuse(option, `must be a whole number from 1 to ${mostPages}`)
  }

  /** A ceiling, or days: a whole number, or `none`. */
  ceiling(option: string): number | null | undefined {
    return this.text(option) === "none" ? null : this.whole(option)
  }

  flag(option: string): boolean | undefined {
    const text = this.text(option)
    if (text === undefined) return undefined
    return text === "true" || text === "false" ? text === "true" : refuse(option, "must be true or false")
  }
}

const refuse = (option: string, problem: string): never => {
  throw new Wrong([`--${option}: ${problem}`])
}
