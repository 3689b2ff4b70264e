import { Context, Effect, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { Audit } from "../audit/Audit.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { nextTurn } from "../engine/Pacing.ts"
import { Pieces } from "../engine/Pieces.ts"
import { hash32 } from "../engine/Hash.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, InvalidField, NotFound, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import { jsonBytes } from "../Measure.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Put } from "../Rows.ts"
import type { Callee, SuppressionScope, SuppressionWords } from "./Callee.ts"
import { Callees } from "./Callees.ts"
import { CalleeStore } from "./CalleeStore.ts"
import { setSuppressOn } from "./SetSuppressOn.ts"
import type { SuppressOn } from "./SuppressionRule.ts"
import { type Added, released, suppressed, unknownCallee } from "./Suppression.ts"

/** What is to be said of numbers that must not be called. */
export interface SuppressionRequest extends SuppressionScope, SuppressionWords {
  readonly expires_at: number | null
}

/** What became of the numbers of a request, each counted once. */
export interface SuppressionCounts {
  readonly added: number
  /** They had a suppression of this scope, which ends later now. */
  readonly replaced: number
  readonly unchanged: number
  /** They have suppressions of as many scopes as a number may have. */
  readonly refused: number
}

interface SuppressionsShape {
  /**
   * Suppresses numbers in E.164; a suppression that stands never ends earlier by it. It goes in commits of some hundreds each: one that fails leaves those before it, and may be sent again. Fails with
   * `NotFound` for an agent or campaign that is not there.
   */
  readonly add: (
    caller: Caller,
    toNumbers: ReadonlyArray<string>,
    request: SuppressionRequest,
  ) => Effect.Effect<SuppressionCounts, EngineError>
  /** Takes the suppressions of a scope from numbers, those that have ended, too; answers how many had one. */
  readonly remove: (
    caller: Caller,
    toNumbers: ReadonlyArray<string>,
    scope: SuppressionScope,
  ) => Effect.Effect<number, EngineError>
  /** What is known of the numbers, each once, in their order. Fails where that is more than an answer may carry. */
  readonly check: (
    organizationId: string,
    toNumbers: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<Callee>, PortError | InvalidField>
  /** Numbers with a suppression, whether it stands still or has ended, newest first. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<Callee>, PortError>
  /** At which ends of calls their numbers are suppressed. */
  readonly suppressOn: (organizationId: string) => Effect.Effect<ReadonlyArray<SuppressOn>, PortError>
  /** Says so anew. It holds for what carriers report from then on. Fails with `NotFound` for an agent or campaign that is not there. */
  readonly setSuppressOn: (
    caller: Caller,
    rules: ReadonlyArray<SuppressOn>,
  ) => Effect.Effect<ReadonlyArray<SuppressOn>, EngineError>
}

type Counts = { [became in Added]: number }

const none: Counts = { added: 0, replaced: 0, unchanged: 0, full: 0 }

const sum = (one: Counts, other: Counts): Counts => ({
  added: one.added + other.added,
  replaced: one.replaced + other.replaced,
  unchanged: one.unchanged + other.unchanged,
  full: one.full + other.full,
})

/** Numbers of a file that are looked at before others have their turn. */
const lookedAt = 2_000

/** Numbers that are told apart in so many sets, so that none grows so large that to enlarge it holds everybody up. */
const parts = 256

/** The numbers, each once, some at a time. Nothing is done for those that nobody has asked for yet. */
function* chunksOf(toNumbers: ReadonlyArray<string>): Generator<ReadonlyArray<string>> {
  const seen = Array.from({ length: parts }, () => new Set<string>())
  let chunk: Array<string> = []
  for (const [nth, toNumber] of toNumbers.entries()) {
    const part = seen[hash32(toNumber) % parts]
    if (part?.has(toNumber) === false) {
      part.add(toNumber)
      chunk.push(toNumber)
    }
    // A file may name the same numbers over and over.
    if (chunk.length === limits.suppressionChunk || nth % lookedAt === lookedAt - 1) {
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}

/** What a commit writes of numbers so far. */
class Load {
  #bytes = 0

  /** Whether one more fits; the first one does. */
  takes({ suppressions }: Callee): boolean {
    const bytes = jsonBytes(suppressions)
    if (this.#bytes > 0 && this.#bytes + bytes > limits.suppressionChunkBytes) return false
    this.#bytes += bytes
    return true
  }
}

/** The numbers that an organization must not call, as its customers keep them (docs/guides/suppression.md). */
export class Suppressions extends Context.Service<Suppressions, SuppressionsShape>()(
  "@carillon/core/callees/Suppressions",
) {
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* CalleeStore
      const callees = yield* Callees
      const agents = yield* AgentStore
      const campaigns = yield* CampaignStore
      const accounts = yield* AccountStore
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const pieces = yield* Pieces

      const existing = Effect.fnUntraced(function* (
        organizationId: string,
        { agent_id, campaign_id }: SuppressionScope,
      ) {
        if (agent_id !== null && campaign_id !== null) {
          return yield* new InvalidField({ field: "campaign_id", reason: "must not be given beside agent_id" })
        }
        if (agent_id !== null && (yield* agents.find(organizationId, agent_id)) === null) {
          return yield* new NotFound({ message: "Agent not found." })
        }
        if (campaign_id !== null && (yield* campaigns.find(organizationId, campaign_id)) === null) {
          return yield* new NotFound({ message: "Campaign not found." })
        }
      })

      const entry = (caller: Caller, action: string, numbers: number, { agent_id, campaign_id }: SuppressionScope) =>
        audit.allowed(caller, {
          action,
          resource: { type: "suppression", id: null },
          details: { numbers, agent_id, campaign_id },
        })

      const knownOf = Effect.fnUntraced(function* (organizationId: string, toNumbers: ReadonlyArray<string>) {
        const found = yield* store.several(organizationId, toNumbers)
        return new Map(found.map((callee) => [callee.to_number, callee]))
      })

      /** Suppresses the first of the numbers, as many as one commit may have; says how many that are. */
      const addSome = Effect.fnUntraced(function* (
        caller: Caller,
        toNumbers: ReadonlyArray<string>,
        request: SuppressionRequest,
      ) {
        const { organization_id } = caller
        const { reply } = yield* steps.run(knownOf(organization_id, toNumbers), (known, now) => {
          const counts = { ...none }
          const changes: Array<Put> = []
          const load = new Load()
          let taken = 0
          for (const toNumber of toNumbers) {
            const before = known.get(toNumber) ?? null
            const suppression = { ...request, created_at: now }
            const after = suppressed(before ?? unknownCallee(organization_id, toNumber), suppression, now)
            const isWritten = after.became === "added" || after.became === "replaced"
            if (isWritten && !load.takes(after.callee)) break
            counts[after.became] += 1
            taken += 1
            if (isWritten) changes.push(put("callee", before, after.callee))
          }
          if (changes.length === 0) return unchanged({ counts, taken })
          const recorded = entry(caller, "suppression.create", changes.length, request)
          return write({ organization_id, changes, audit: [recorded] }, { counts, taken })
        })
        callees.met(organization_id)
        return reply
      })

      /** Takes the suppressions of a scope from the first of the numbers, as many as one commit may have; says how many that are. */
      const removeSome = Effect.fnUntraced(function* (
        caller: Caller,
        toNumbers: ReadonlyArray<string>,
        scope: SuppressionScope,
      ) {
        const { organization_id } = caller
        const { reply } = yield* steps.run(knownOf(organization_id, toNumbers), (known, now) => {
          const changes: Array<Put> = []
          const load = new Load()
          let taken = 0
          for (const toNumber of toNumbers) {
            const before = known.get(toNumber)
            const after = before === undefined ? undefined : released(before, scope, now)
            const isWritten = before !== undefined && after !== undefined && after !== before
            if (isWritten && !load.takes(after)) break
            taken += 1
            if (isWritten) changes.push(put("callee", before, after))
          }
          const removed = { counts: changes.length, taken }
          if (changes.length === 0) return unchanged(removed)
          const recorded = entry(caller, "suppression.delete", changes.length, scope)
          return write({ organization_id, changes, audit: [recorded] }, removed)
        })
        return reply
      })

      /** Does something to numbers, some of which it takes at a time, until all were taken. */
      const each = Effect.fnUntraced(function* <Counts, E>(
        organizationId: string,
        toNumbers: ReadonlyArray<string>,
        some: (numbers: ReadonlyArray<string>) => Effect.Effect<{ readonly counts: Counts; readonly taken: number }, E>,
        count: (counts: Counts) => void,
      ) {
        for (const chunk of chunksOf(toNumbers)) {
          for (let left = chunk; left.length > 0;) {
            const { counts, taken } = yield* pieces.piece(organizationId, some(left))
            count(counts)
            left = left.slice(taken)
          }
          yield* nextTurn
        }
      })

      return Suppressions.of({
        add: Effect.fnUntraced(function* (caller, toNumbers, request) {
          if (request.expires_at !== null && request.expires_at <= clock.now()) {
            return yield* new InvalidField({ field: "expires_at", reason: "must be in the future" })
          }
          yield* existing(caller.organization_id, request)
          let counts = none
          yield* each(
            caller.organization_id,
            toNumbers,
            (some) => addSome(caller, some, request),
            (more) => {
              counts = sum(counts, more)
            },
          )
          const { full, ...others } = counts
          if (full > 0 && others.added + others.replaced + others.unchanged === 0) {
            const reason = "name only numbers that have as many suppressions for agents and campaigns as they may"
            return yield* new InvalidField({ field: "to_numbers", reason })
          }
          return { ...others, refused: full }
        }),
        remove: Effect.fnUntraced(function* (caller, toNumbers, scope) {
          yield* existing(caller.organization_id, scope)
          let removed = 0
          yield* each(
            caller.organization_id,
            toNumbers,
            (some) => removeSome(caller, some, scope),
            (more) => {
              removed += more
            },
          )
          return removed
        }),
        check: Effect.fnUntraced(function* (organizationId, toNumbers) {
          const checked: Array<Callee> = []
          let bytes = 0
          for (const chunk of chunksOf(toNumbers)) {
            const known = yield* pieces.piece(organizationId, knownOf(organizationId, chunk))
            for (const toNumber of chunk) {
              const callee = known.get(toNumber) ?? unknownCallee(organizationId, toNumber)
              bytes += callee.suppressions.length === 0 ? 0 : jsonBytes(callee.suppressions)
              checked.push(callee)
            }
            if (bytes > limits.suppressionCheckBytes) {
              const reason = `have suppressions of more than ${limits.suppressionCheckBytes / 1024 ** 2} MiB, so fewer must be asked for`
              return yield* new InvalidField({ field: "to_numbers", reason })
            }
            yield* nextTurn
          }
          return checked
        }),
        page: store.suppressed,
        suppressOn: (organizationId) =>
          Effect.map(accounts.organization(organizationId), (organization) => organization?.suppress_on ?? []),
        setSuppressOn: (caller, rules) => steps.take(setSuppressOn, { caller, rules }),
      })
    }),
  )
}
