import { limits, nextTurn, pageTooLarge } from "@carillon/core"
import { Effect } from "effect"
import type { Reply } from "./Handler.ts"

/** Characters of a page that are written before others have their turn. */
const turnCharacters = 128 * 1024

const isList = (body: object): body is { readonly data: Iterable<unknown> } =>
  "data" in body && typeof body.data === "object" && body.data !== null && Symbol.iterator in body.data

/** The rows of a page, each made when it is written. */
export function* rowsOf<Item>(items: ReadonlyArray<Item>, row: (item: Item) => object): Iterable<object> {
  for (const item of items) yield row(item)
}

/**
 * A list, or a page of one, as the text of its answer, made and written row by row. One that is larger than an answer may be is refused whatever store it came from:
 * a hundred large rows would hold up everybody while they are written, and fill the memory while a slow client reads them.
 */
export const boundedPage = Effect.fnUntraced(function* (reply: Reply) {
  if (!("body" in reply) || !isList(reply.body)) return reply
  const { data, ...others } = reply.body
  const rows: Array<string> = []
  let characters = 0
  let turnEndsAt = 0
  const unwritten = data[Symbol.iterator]()
  for (let next = unwritten.next(); next.done !== true; next = unwritten.next()) {
    // Even one row may be large, and many pages are asked for at once.
    if (characters >= turnEndsAt) {
      turnEndsAt = characters + turnCharacters
      yield* nextTurn
    }
    const text = JSON.stringify(next.value)
    characters += text.length
    if (characters > limits.pageBytes) return yield* pageTooLarge()
    rows.push(text)
  }
  const rest = Object.keys(others).length === 0 ? "}" : `,${JSON.stringify(others).slice(1)}`
  return { status: reply.status, text: `{"data":[${rows.join(",")}]${rest}`, replayed: false }
})
