import type { ListPlace } from "@carillon/core/ports"
import { textOf } from "../Documents.ts"

type Value = string | number | boolean | ReadonlyArray<string>

/** The conditions of a read with their parameters. What is undefined is not asked for. */
export class Where {
  readonly #conditions: Array<string> = []
  readonly parameters: Array<Value>

  /** Two that stand in one statement have their parameters together. */
  constructor(parameters: Array<Value> = []) {
    this.parameters = parameters
  }

  /** A column that has the text. It is asked for whatever the text is: what belongs to nobody is not everybody's. */
  is(column: string, text: string): this {
    return this.also(`${column} = ?`, textOf(text))
  }

  /** A column that has the text where one is chosen. */
  chosen(column: string, text: string | undefined): this {
    return text === undefined ? this : this.is(column, text)
  }

  /** A condition that holds `?` where the value goes. */
  also(condition: string, value: Value | undefined): this {
    if (value === undefined) return this
    this.parameters.push(value)
    this.#conditions.push(condition.replaceAll("?", `$${this.parameters.length}`))
    return this
  }

  /** What comes after a place in the order of lists, oldest first. */
  after({ created_at, sequence }: ListPlace): this {
    this.parameters.push(created_at, sequence)
    const last = this.parameters.length
    return this.and(`(created_at, sequence) > ($${last - 1}::bigint, $${last}::bigint)`)
  }

  /** A condition without a value. */
  and(condition: string): this {
    this.#conditions.push(condition)
    return this
  }

  get text(): string {
    return this.#conditions.length === 0 ? "true" : this.#conditions.join(" and ")
  }
}
