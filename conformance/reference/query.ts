import { invalid, malformed, quoted } from "./errors.ts"
import { parseInstant } from "./fields.ts"

/** The query of a request; the last of a repeated parameter counts. */
export class Query {
  readonly #values: URLSearchParams

  constructor(values: URLSearchParams) {
    this.#values = values
  }

  text(name: string): string | null {
    return this.#values.getAll(name).at(-1) ?? null
  }

  /** A plus that was not encoded arrives as a space. */
  phone(name: string): string | null {
    return this.text(name)?.replace(/^ /, "+") ?? null
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name)
    if (value === null) return fallback
    if (!/^[+-]?\d{1,15}$/.test(value)) throw invalid(name, "must be an integer")
    const read = Number(value)
    if (read < min || read > max) throw invalid(name, `must be between ${min} and ${max}`)
    return read
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.text(name)
    if (value === null) return fallback
    if (value !== "true" && value !== "false") throw invalid(name, "must be true or false")
    return value === "true"
  }

  moment(name: string): number | null {
    const value = this.text(name)
    if (value === null) return null
    const read = parseInstant(value.replace(/ (\d\d:?\d\d)$/, "+$1"))
    if (read === null) throw invalid(name, "must be a timestamp with a UTC offset")
    return read
  }

  /** One word of a list; another is 1000 with 400. */
  word<const Words extends ReadonlyArray<string>>(name: string, words: Words): Words[number] | null {
    const value = this.text(name)
    if (value === null) return null
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    if (name === "status") throw unknownStatus(value, words)
    throw malformed(`Invalid value for '${name}': '${quoted(value)}'. Valid values are ${spoken(words)}.`)
  }
}

const spoken = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

export const unknownStatus = (value: string, words: ReadonlyArray<string>) =>
  malformed(`Unknown status '${quoted(value)}'. Valid values are: ${words.join(", ")}.`)

/** A page of rows, each shown when it is on it. */
export const pageOf = <Row>(query: Query, rows: ReadonlyArray<Row>, show: (row: Row) => unknown) => {
  const { page, page_size } = pageAsked(query)
  const from = (page - 1) * page_size
  const total_pages = Math.ceil(rows.length / page_size)
  return {
    data: rows.slice(from, from + page_size).map(show),
    pagination: { page, page_size, total: rows.length, total_pages, has_more: page < total_pages },
  }
}

/** Which page is asked for; read before anything is looked up. */
export const pageAsked = (query: Query) => ({
  page: query.integer("page", 1, 1, 10_000),
  page_size: query.integer("page_size", 20, 1, 100),
})
