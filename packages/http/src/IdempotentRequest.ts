import { type EngineError, Idempotency, type KeptAnswer } from "@carillon/core"
import { Effect } from "effect"
import type { EdgeRequest } from "./Edge.ts"
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

const boundary = /boundary="?([^";]+)"?/i

/** What a request says, as text that is the same for the same content: a form is its parts, whatever its boundary. */
const contentOf = ({ body, header }: EdgeRequest, params: unknown, payload: unknown): string => {
  const mark = boundary.exec(header("content-type") ?? "")?.[1]
  if (mark === undefined || !(body instanceof Uint8Array)) return stableText([params, payload])
  return new TextDecoder("latin1").decode(body).split(mark).join("")
}

const kept = (reply: Reply): Effect.Effect<KeptAnswer> =>
  "body" in reply
    ? Effect.succeed({ status: reply.status, body: JSON.stringify(reply.body) })
    : Effect.die(new Error("Only answers with a body can be repeated."))

/** The stage between decoding and handling: runs a request with an `Idempotency-Key` once, where its route honours one. */
export const idempotentRequests = Effect.gen(function* () {
  const idempotency = yield* Idempotency

  return (
    exchange: Exchange,
    operation: Operation,
    params: unknown,
    payload: unknown,
    handling: Handling,
  ): Handling => {
    const { caller, request } = exchange
    const key = operation.route.idempotent ? request.header("idempotency-key") : null
    if (key === null || caller === null) return handling
    return Effect.map(
      idempotency.run(
        {
          organization_id: caller.organization_id,
          route: operation.label,
          key,
          content: contentOf(request, params, payload),
        },
        Effect.flatMap(handling, kept),
      ),
      ({ body: text, replayed, status }): Reply => ({ status, text, replayed }),
    )
  }
})
