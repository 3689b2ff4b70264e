import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"

/** Visits the rows of a list that is read newest first, oldest first, a page in memory at a time. What comes meanwhile may be missed. */
export const oldestFirst = Effect.fnUntraced(function* <Row, E>(
  read: (page: PageRequest) => Effect.Effect<Page<Row>, PortError>,
  visit: (row: Row) => Effect.Effect<void, E>,
): Effect.fn.Return<void, E | PortError> {
  const page_size = limits.portablePage
  const { total } = yield* read({ page: 1, page_size })
  for (let page = Math.ceil(total / page_size); page >= 1; page--) {
    const { items } = yield* read({ page, page_size })
    yield* Effect.forEach(items.toReversed(), visit, { discard: true })
  }
})
