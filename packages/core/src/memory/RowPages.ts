import { Effect } from "effect"
import type { InvalidField } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { jsonBytes, jsonBytesAtMost } from "../Measure.ts"
import { type Page, type PageRequest, pageTooLarge } from "../Pagination.ts"

/** Up to `limit` rows in ascending order of their id after `id`; for the few that are live or due. */
export const after = <A>(
  rows: Iterable<A>,
  idOf: (row: A) => string,
  id: string | null,
  limit: number,
): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const row of rows) if (id === null || idOf(row) > id) found.push(row)
  return found.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit)
}

/** One page of a list that is given newest first. */
export const pageOf = <A>(rows: ReadonlyArray<A>, { page, page_size }: PageRequest): Page<A> => {
  const skip = (page - 1) * page_size
  return { items: rows.slice(skip, skip + page_size), total: rows.length }
}

/** What a page carries, which is as much as in any store: `limits.pageBytes` of rows. */
export const bounded = <A>(made: () => Page<A>): Effect.Effect<Page<A>, InvalidField> =>
  Effect.suspend(() => {
    const page = made()
    // Hardly a page comes near the bound, so most need not be written out to know it.
    let most = 0
    for (const row of page.items) most += jsonBytesAtMost(row)
    if (most <= limits.pageBytes) return Effect.succeed(page)
    let bytes = 0
    for (const row of page.items) bytes += jsonBytes(row)
    return bytes > limits.pageBytes ? Effect.fail(pageTooLarge()) : Effect.succeed(page)
  })
