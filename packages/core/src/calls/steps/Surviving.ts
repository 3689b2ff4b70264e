import { Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Call } from "../rules/Call.ts"
import type { CallFilter, CallStore } from "../ports/CallStore.ts"

/** The record that goes on for an id, which is another one after a folding; null where there is none. */
export const surviving = Effect.fnUntraced(function* (
  find: (executionId: string) => Effect.Effect<Call | null, PortError>,
  executionId: string,
) {
  let call = yield* find(executionId)
  while (call !== null && call.folded_into !== null) call = yield* find(call.folded_into)
  return call
})

/** The records that were folded into a call, and into those. */
export const foldedInto = Effect.fnUntraced(function* (calls: Pick<CallStore["Service"], "find">, call: Call) {
  const found: Array<Call> = []
  for (let id = call.folded_from; id !== undefined; id = found.at(-1)?.folded_from) {
    const folded = yield* calls.find(call.organization_id, id)
    if (folded === null) break
    found.push(folded)
  }
  return found
})

/** A page of calls as customers ask for it. The calls of a folded one name the record that goes on for it, so either id finds them. */
export const listed = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  organizationId: string,
  filter: CallFilter,
  page: PageRequest,
): Effect.fn.Return<Page<Call>, PortError> {
  const { parent_execution_id: asked } = filter
  if (asked === undefined) return yield* calls.page(organizationId, filter, page)
  const parent = yield* surviving((id) => calls.find(organizationId, id), asked)
  return yield* calls.page(organizationId, { ...filter, parent_execution_id: parent?.execution_id ?? asked }, page)
})
