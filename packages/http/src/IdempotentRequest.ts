import { type Caller, type EngineError, Idempotency } from "@carillon/core"
import { ContentDigest, type SentFile } from "@carillon/core/domain"
import { type KeptAnswer, nextTurn, type Recalled } from "@carillon/core/ports"
import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Handler.ts"
import type { Operation } from "./Operation.ts"
import type { Refusal } from "./Refusal.ts"

type Handling = Effect.Effect<Reply, EngineError | Refusal>

/** A JSON value as text that does not depend on the order of its members. */
const stableText = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isFile = (value: unknown): value is SentFile => isRecord(value) && value["bytes"] instanceof Uint8Array

/** Bytes, or characters, that are digested before others get their turn. */
const turnSize = 64 * 1024

function* piecesOfField(value: unknown): Generator<string | Uint8Array> {
  if (Array.isArray(value)) {
    yield String(value.length)
    for (const element of value) yield* piecesOfField(element)
  } else if (isFile(value)) {
    yield stableText([value.name, value.bytes.length])
    for (let from = 0; from < value.bytes.length; from += turnSize) yield value.bytes.subarray(from, from + turnSize)
  } else yield stableText(value)
}

function* piecesOf(payload: unknown): Generator<string | Uint8Array> {
  if (!isRecord(payload)) return yield stableText(payload)
  for (const name of Object.keys(payload).sort()) {
    yield name
    yield* piecesOfField(payload[name])
  }
}

/** What a request says, as text that is the same for the same content: members in any order, a form whatever its boundary. */
const contentOf = Effect.fnUntraced(function* (params: unknown, payload: unknown) {
  const digest = new ContentDigest()
  digest.text(stableText(params))
  let taken = 0
  for (const piece of piecesOf(payload)) {
    if (typeof piece === "string") digest.text(piece)
    else digest.bytes(piece)
    taken += piece.length
    if (taken < turnSize) continue
    taken = 0
    yield* nextTurn
  }
  return digest.finish()
})

const kept = (reply: Reply): Effect.Effect<KeptAnswer> =>
  "body" in reply
    ? Effect.succeed({ status: reply.status, body: JSON.stringify(reply.body) })
    : Effect.die(new Error("Only answers with a body can be repeated."))

/** What was found of a request, with its answer as it is repeated. */
const keptOf = (recalled: Recalled<Reply>): Effect.Effect<Recalled<KeptAnswer>> =>
  recalled._tag === "Made"
    ? Effect.map(kept(recalled.made), (made) => ({ _tag: "Made", made }))
    : Effect.succeed(recalled)

/** The stage between decoding and handling: runs a request with an `Idempotency-Key` once, where its route honours one. */
export const idempotentRequests = Effect.gen(function* () {
  const idempotency = yield* Idempotency

  return (
    exchange: Exchange,
    caller: Caller,
    operation: Operation,
    params: unknown,
    payload: unknown,
    handlingFor: (caller: Caller) => Handling,
  ): Handling => {
    const { request } = exchange
    const { keyed: honours, label: route } = operation
    const key = honours === null ? null : request.header("idempotency-key")
    if (key === null || honours === null) return handlingFor(caller)
    const { organization_id } = caller
    const run = (content: string) =>
      idempotency.run<EngineError | Refusal>(
        { organization_id, route, key, content, makes: honours.makes },
        {
          handle: (keyed) => Effect.flatMap(handlingFor({ ...caller, keyed }), kept),
          recall: (subject) => Effect.flatMap(honours.recall(caller, subject), keptOf),
        },
      )
    return contentOf(params, payload).pipe(
      Effect.flatMap(run),
      Effect.map(({ body: text, replayed, status }): Reply => ({ status, text, replayed })),
    )
  }
})
