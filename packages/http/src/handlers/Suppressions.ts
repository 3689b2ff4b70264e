import { pageRequest, paginate, type RemovedSuppressions, type SuppressionRules, toWireSuppressed } from "@carillon/api"
import { type EngineError, LimitExceeded, limits, Suppressions } from "@carillon/core"
import { numbersOfFile, type SuppressOn } from "@carillon/core/domain"
import { DomainClock } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { instantOrNull } from "./CampaignBodies.ts"
import { rowsOf } from "../PageText.ts"

/** A rule of which nothing is said. */
const nothingSaid: SuppressOn = {
  agent_id: null,
  campaign_id: null,
  outcomes: [],
  hangup_reasons: [],
  extracted: [],
  suppress_for: "organization",
  days: null,
  reason: null,
}

const busy = () =>
  new LimitExceeded({
    message: "Another file of suppressions of this organization is in progress.",
    retryAfterSeconds: limits.suppressionFileRetryAfterSeconds,
  })

/** The files of suppressions that are taken in, one of an organization at a time: its numbers are in memory until the last of them is written. */
class Files {
  readonly #organizations = new Set<string>()

  alone<A>(organizationId: string, work: Effect.Effect<A, EngineError>): Effect.Effect<A, EngineError> {
    const enter = Effect.suspend(() => {
      if (this.#organizations.has(organizationId)) return Effect.fail(busy())
      return Effect.succeed(this.#organizations.add(organizationId))
    })
    return Effect.acquireUseRelease(
      enter,
      () => work,
      (organizations) => Effect.sync(() => void organizations.delete(organizationId)),
    )
  }
}

/** The numbers that must not be called. */
export const suppressionHandlers = Effect.gen(function* () {
  const suppressions = yield* Suppressions
  const clock = yield* DomainClock
  const files = new Files()

  const handlers: HandlersOf<"suppressions"> = {
    "suppressions.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* suppressions.page(caller.organization_id, request)
      const data = rowsOf(items, (callee) => toWireSuppressed(callee, clock.now()))
      return { status: 200, body: { data, pagination: paginate(request, total) } }
    }),
    "suppressions.add": Effect.fnUntraced(function* ({ caller, payload }) {
      const {
        agent_id = null,
        campaign_id = null,
        expires_at = null,
        note = null,
        reason = null,
        source = null,
      } = payload
      const until = yield* instantOrNull("expires_at", expires_at)
      const said = { agent_id, campaign_id, expires_at: until, note, reason, source }
      const adding =
        "file" in payload
          ? files.alone(
              caller.organization_id,
              Effect.flatMap(numbersOfFile(payload.file, payload.calling_code ?? null), (toNumbers) =>
                suppressions.add(caller, toNumbers, said),
              ),
            )
          : suppressions.add(caller, payload.to_numbers, said)
      return { status: 201, body: yield* adding }
    }),
    "suppressions.check": ({ caller, payload }) =>
      Effect.map(suppressions.check(caller.organization_id, payload.to_numbers), (callees) => ({
        status: 200,
        body: { data: rowsOf(callees, (callee) => toWireSuppressed(callee, clock.now())) },
      })),
    "suppressions.remove": ({ caller, payload: { agent_id = null, campaign_id = null, to_numbers } }) =>
      Effect.map(suppressions.remove(caller, to_numbers, { agent_id, campaign_id }), (removed) => ({
        status: 200,
        body: { removed } satisfies RemovedSuppressions,
      })),
    "suppressions.rules": ({ caller }) =>
      Effect.map(suppressions.suppressOn(caller.organization_id), (suppress_on) => ({
        status: 200,
        body: { suppress_on } satisfies SuppressionRules,
      })),
    "suppressions.setRules": ({ caller, payload }) => {
      const rules = payload.suppress_on.map((rule) => ({ ...nothingSaid, ...rule }))
      return Effect.map(suppressions.setSuppressOn(caller, rules), (suppress_on) => ({
        status: 200,
        body: { suppress_on } satisfies SuppressionRules,
      }))
    },
  }
  return handlers
})
