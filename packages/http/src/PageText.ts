import { limits } from "@carillon/core"
import { pageTooLarge } from "@carillon/core/domain"
import { nextTurn } from "@carillon/core/ports"
import { Effect } from "effect"
import { AnswerWriter } from "./AnswerPieces.ts"
import type { Reply } from "./Handler.ts"

/** Characters of a page that are written before others have their turn. */
const turnCharacters = 128 * 1024

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

/** The list that a body is there for: its `data`, or what `rowsOf` makes. Other lists of it are small, and are written with it. */
const listOf = (body: object): readonly [name: string, rows: Iterable<unknown>] | null => {
  for (const [name, value] of Object.entries(body)) {
    if (isIterable(value) && (name === "data" || !Array.isArray(value))) return [name, value]
  }
  return null
}

/** The rows of a page, each made when it is written. */
export function* rowsOf<Item>(items: ReadonlyArray<Item>, row: (item: Item) => object): Iterable<object> {
  for (const item of items) yield row(item)
}

const writeRows = Effect.fnUntraced(function* (writer: AnswerWriter, data: Iterable<unknown>) {
  let characters = 0
  let turnEndsAt = 0
  let comma = ""
  writer.add("[")
  const unwritten = data[Symbol.iterator]()
  for (let next = unwritten.next(); next.done !== true; next = unwritten.next()) {
    // Even one row may be large, and many pages are asked for at once.
    if (characters >= turnEndsAt) {
      turnEndsAt = characters + turnCharacters
      yield* nextTurn
    }
    writer.add(comma)
    comma = ","
    const before = writer.characters
    writer.json(next.value)
    // As the stores count: the rows, without what stands between them.
    characters += writer.characters - before
    if (characters > limits.pageBytes) return yield* pageTooLarge()
  }
  writer.add("]")
})

/**
 * A list, or a page of one, as its answer, made and written row by row. One that is larger than an answer may be is refused whatever store it came from:
 * a hundred large rows would hold up everybody while they are written, and fill the memory while a slow client reads them.
 */
export const boundedPage = Effect.fnUntraced(function* (reply: Reply) {
  const list = "body" in reply ? listOf(reply.body) : null
  if (!("body" in reply) || list === null) return reply
  const [name, data] = list
  const writer = new AnswerWriter()
  let before = "{"
  for (const [member, value] of Object.entries(reply.body)) {
    if (value === undefined) continue
    writer.add(`${before}${JSON.stringify(member)}:`)
    before = ","
    if (member === name) yield* writeRows(writer, data)
    else writer.json(value)
  }
  writer.add("}")
  return { status: reply.status, written: writer.finish() }
})
