import { limits, nextTurn, pageTooLarge } from "@carillon/core"
import { Effect } from "effect"
import type { Reply } from "./Handler.ts"

/** Characters of a page that are written before others have their turn. */
const turnCharacters = 512 * 1024

const isPage = (body: object): body is { readonly data: ReadonlyArray<unknown>; readonly pagination: unknown } =>
  "data" in body && "pagination" in body && Array.isArray(body.data)

/**
 * A page of a list as the text of its answer, written row by row. One that is larger than an answer may be is refused whatever store it came from:
 * a hundred large rows would hold up everybody while they are written, and fill the memory while a slow client reads them.
 */
export const boundedPage = Effect.fnUntraced(function* (reply: Reply) {
  if (!("body" in reply) || !isPage(reply.body)) return reply
  const { data, pagination, ...others } = reply.body
  // Even one row may be large, and many pages are asked for at once.
  if (data.length > 0) yield* nextTurn
  const rows: Array<string> = []
  let characters = 0
  let turnEndsAt = turnCharacters
  for (const row of data) {
    const text = JSON.stringify(row)
    characters += text.length
    if (characters > limits.pageBytes) return yield* pageTooLarge()
    rows.push(text)
    if (characters >= turnEndsAt) {
      turnEndsAt = characters + turnCharacters
      yield* nextTurn
    }
  }
  const rest = JSON.stringify({ pagination, ...others })
  return { status: reply.status, text: `{"data":[${rows.join(",")}],${rest.slice(1)}`, replayed: false }
})
