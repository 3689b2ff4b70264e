import { batchStatusFilter, pageRequest, paginate, toWireBatch } from "@carillon/api"
import { Batches, type Caller, Calls, type EngineError } from "@carillon/core"
import type { BatchRecord } from "@carillon/core/domain"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { contactsOf, instantOrNull } from "./CampaignBodies.ts"
import { callFilter, callPage, enumeration, instant } from "./CallPages.ts"
import { rowsOf } from "../PageText.ts"

type Move = (caller: Caller, batchId: string) => Effect.Effect<BatchRecord, EngineError>

/** The settings of a body without its contacts, its time as epoch milliseconds. */
const settingsIn = Effect.fnUntraced(function* <Body extends { readonly scheduled_at?: string | null }>({
  scheduled_at,
  ...settings
}: Body) {
  return scheduled_at === undefined
    ? settings
    : { ...settings, scheduled_at: yield* instantOrNull("scheduled_at", scheduled_at) }
})

/** Creating, reading and steering batches. */
export const batchHandlers = Effect.gen(function* () {
  const batches = yield* Batches
  const calls = yield* Calls

  const moved =
    <const Status extends 200 | 202>(status: Status, move: Move) =>
    ({ caller, params }: { readonly caller: Caller; readonly params: { readonly batch_id: string } }) =>
      Effect.map(move(caller, params.batch_id), (batch) => ({ status, body: toWireBatch(batch) }))

  const handlers: HandlersOf<"batches"> = {
    "batches.create": Effect.fnUntraced(function* ({ caller, payload: { contacts, ...payload } }) {
      const intake = yield* contactsOf(contacts)
      const body = yield* settingsIn(payload)
      return { status: 201, body: toWireBatch(yield* batches.create(caller, body, intake)) }
    }),
    "batches.upload": Effect.fnUntraced(function* ({ caller, payload: { file, ...payload } }) {
      const intake = yield* contactsOf(file)
      const body = yield* settingsIn(payload)
      return { status: 201, body: toWireBatch(yield* batches.create(caller, body, intake)) }
    }),
    "batches.list": Effect.fnUntraced(function* ({ caller, query }) {
      const { agent_id, campaign_id, status } = query
      const request = pageRequest(query)
      const filter = {
        ...(status === undefined ? {} : { status: yield* enumeration(batchStatusFilter(status)) }),
        ...(agent_id === undefined ? {} : { agent_id }),
        ...(campaign_id === undefined ? {} : { campaign_id }),
      }
      const { items, total } = yield* batches.page(caller.organization_id, filter, request)
      return { status: 200, body: { data: rowsOf(items, toWireBatch), pagination: paginate(request, total) } }
    }),
    "batches.get": ({ caller, params }) =>
      Effect.map(batches.find(caller.organization_id, params.batch_id), (batch) => ({
        status: 200,
        body: toWireBatch(batch),
      })),
    "batches.executions": Effect.fnUntraced(function* ({ caller, params, query }) {
      const filter = yield* callFilter(query)
      const request = pageRequest(query)
      const page = yield* batches.executions(caller.organization_id, params.batch_id, filter, request)
      return yield* callPage(calls, caller.organization_id, page, request, query)
    }),
    "batches.schedule": Effect.fnUntraced(function* ({ caller, params, payload }) {
      const at = yield* instant("scheduled_at", payload.scheduled_at)
      return { status: 200, body: toWireBatch(yield* batches.schedule(caller, params.batch_id, at)) }
    }),
    "batches.stop": moved(200, batches.stop),
    "batches.pause": moved(200, batches.pause),
    "batches.resume": moved(202, batches.resume),
  }
  return handlers
})
