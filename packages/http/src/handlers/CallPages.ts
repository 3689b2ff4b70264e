import { callStatusFilter, directionFilter, paginate, toWireCall } from "@carillon/api"
import { type Call, type EngineError, InvalidField, Malformed, type Page, type PageRequest } from "@carillon/core"
import { type CallMedia, Timestamp } from "@carillon/core/domain"
import type { CallFilter } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import type { Incoming } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"

/** Transcripts that a page reads at a time. */
const transcriptReads = 16

/** A bad enumeration in the query is malformed input, not a validation failure (decisions, "Request pipeline" 5). */
export const enumeration = <A>(judged: Result.Result<A, string>): Effect.Effect<A, Malformed> =>
  Result.isSuccess(judged) ? Effect.succeed(judged.success) : Effect.fail(new Malformed({ message: judged.failure }))

/** A timestamp that the contract has let through, as epoch milliseconds. */
export const instant = (field: string, text: string): Effect.Effect<number, InvalidField> => {
  const parsed = Timestamp.parseTimestamp(text)
  return parsed.ok
    ? Effect.succeed(parsed.ms)
    : Effect.fail(new InvalidField({ field, reason: "must be a timestamp with a UTC offset" }))
}

/** The filter that the query of a call list asks for. */
export const callFilter = Effect.fnUntraced(function* (
  query:
    | Incoming<"calls.list">["query"]
    | Incoming<"agents.executions">["query"]
    | Incoming<"batches.executions">["query"],
) {
  const {
    direction,
    from_date,
    include_transcript: _,
    organization_id: __,
    page: ___,
    page_size: ____,
    status,
    to_date,
    ...ids
  } = query
  const filter: CallFilter = {
    ...ids,
    ...(status === undefined ? {} : yield* enumeration(callStatusFilter(status))),
    ...(direction === undefined ? {} : { direction: yield* enumeration(directionFilter(direction)) }),
    ...(from_date === undefined ? {} : { from_date: yield* instant("from_date", from_date) }),
    ...(to_date === undefined ? {} : { to_date: yield* instant("to_date", to_date) }),
  }
  return filter
})

/** What a page of calls reads beside its rows (`Calls`). */
interface CallReads {
  readonly media: (organizationId: string, executionId: string) => Effect.Effect<CallMedia | null, EngineError>
  readonly currency: (organizationId: string, calls: ReadonlyArray<Call>) => Effect.Effect<string>
}

/** A page of calls as it is answered, with transcripts where they are asked for. */
export const callPage = Effect.fnUntraced(function* (
  calls: CallReads,
  organizationId: string,
  { items, total }: Page<Call>,
  request: PageRequest,
  query: { readonly include_transcript?: boolean },
) {
  const currency = yield* calls.currency(organizationId, items)
  const withMedia = (call: Call) =>
    Effect.map(calls.media(organizationId, call.execution_id), (media) => toWireCall(call, currency, media))
  const data = query.include_transcript
    ? yield* Effect.forEach(items, withMedia, { concurrency: transcriptReads })
    : rowsOf(items, (call) => toWireCall(call, currency))
  return { status: 200 as const, body: { data, pagination: paginate(request, total) } }
})
