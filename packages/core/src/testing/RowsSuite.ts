import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { contactId } from "../contacts/rules/Contact.ts"
import { untouched } from "../contacts/rules/ContactProgress.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import type { RowAsked } from "../engine/rules/FoundRows.ts"
import { Conflict, Store } from "../engine/ports/Store.ts"
import type { PortError } from "../Errors.ts"
import { descriptions, type Put, putId, type RowKind, rowKinds, type Rows } from "../Rows.ts"
import { refusalOf } from "./Refusals.ts"
import {
  fresh,
  sampleAgent,
  sampleBatch,
  sampleCall,
  sampleCallee,
  sampleCampaign,
  sampleCampaignEntry,
  sampleCommit,
  sampleDelivery,
  sampleEvent,
  sampleExperiment,
  sampleCaps,
  sampleHours,
  sampleInboundAgent,
  sampleKey,
  sampleKnowledgeBase,
  sampleKnowledgeUpload,
  sampleOrganization,
  samplePhoneNumber,
  sampleProvider,
  samplePurge,
  sampleSubscription,
} from "./Samples.ts"

const number = "+15555550155"

/** The installation has one row, which all suites share. */
type Sampled = Exclude<RowKind, "platform">

type Samples = {
  readonly [K in Sampled]: (organizationId: string) => Effect.Effect<Rows[K], PortError, ContactStore>
}

const made =
  <Row>(row: (organizationId: string) => Row) =>
  (organizationId: string) =>
    Effect.sync(() => row(organizationId))

/** A new row of each kind. Those of one organization differ in their ids, and in nothing else that is unique. */
const samples: Samples = {
  organization: made((id) => sampleOrganization(id)),
  purge: made((id) => samplePurge(id)),
  api_key: made((id) => sampleKey(id)),
  provider: made((id) => sampleProvider(id)),
  phone_number: made((id) => samplePhoneNumber(id, number)),
  inbound_agent: made((id) => sampleInboundAgent({ ...samplePhoneNumber(id, number), phone_number_id: `pn_${id}` })),
  experiment: made((id) => sampleExperiment(id, { status: "active" })),
  agent: made((id) => sampleAgent(id)),
  subscription: made((id) => sampleSubscription(id, null)),
  campaign: made((id) => sampleCampaign(id)),
  campaign_entry: made((id) => sampleCampaignEntry(id)),
  batch: made((id) => sampleBatch(id)),
  contact: Effect.fnUntraced(function* (id) {
    const batch = sampleBatch(id)
    yield* (yield* ContactStore).fill(batch.batch_id, 0, [{ to_number: number, variables: {} }])
    return { ...untouched(batch, contactId(batch.batch_id, 0), 0), revision: 1 }
  }),
  callee: made((id) => sampleCallee(id)),
  callee_hours: made((id) => sampleHours(id, { caps: sampleCaps })),
  call: made((id) => sampleCall(id)),
  call_media: made((id) => ({
    execution_id: fresh("exec_"),
    organization_id: id,
    revision: 1,
    transcript: [],
    setup: null,
    turns: [],
  })),
  knowledge_base: made((id) => sampleKnowledgeBase(id)),
  knowledge_upload: made((id) => sampleKnowledgeUpload(sampleKnowledgeBase(id))),
  event: made((id) => sampleEvent(id)),
  delivery: made((id) => sampleDelivery(id)),
}

const isSampled = (kind: RowKind): kind is Sampled => kind in samples

const at = <K extends RowKind>(put: K, row: Rows[K], revision: number): Put<K> => ({
  put,
  row: { ...row, revision },
})

/** What is unique of a row beside its id, or null. */
const keyOf = <K extends RowKind>({ put, row }: { readonly put: K; readonly row: Rows[K] }): string | null =>
  descriptions[put].unique?.(row) ?? null

/** A key that no row of a kind has. */
const strangeKey = "no row has this"

/** How a row may be asked for: by its id, and by what is unique of it. */
const waysTo = (change: Put, organizationId: string): ReadonlyArray<RowAsked> => {
  const kind = change.put
  const key = keyOf(change)
  const byId = { kind, id: putId(change) }
  return key === null ? [byId] : [byId, { kind, organization_id: organizationId, key }]
}

/** Lays down what every store knows of each kind of row by its description: how it is told apart, what of it is unique, and how it is read. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | ContactStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    const refusal = Effect.fnUntraced(function* (organizationId: string, change: Put) {
      return yield* refusalOf((yield* Store).commit(sampleCommit(organizationId, { changes: [change] })))
    })

    for (const kind of rowKinds.filter(isSampled)) {
      it.effect(`${kind}: a row is written once at each revision, and nobody else has what is unique of it`, () =>
        Effect.gen(function* () {
          const organizationId = fresh("org_")
          const row = yield* samples[kind](organizationId)
          const first = at(kind, row, 1)
          const conflict = new Conflict({ kind, id: putId(first) })
          assert.strictEqual(yield* refusal(organizationId, first), null)
          assert.deepStrictEqual(yield* refusal(organizationId, first), conflict, "written twice as new")
          assert.strictEqual(yield* refusal(organizationId, at(kind, row, 2)), null)
          assert.deepStrictEqual(yield* refusal(organizationId, at(kind, row, 2)), conflict, "replaced twice")
          // Of these an organization has one.
          if (kind === "organization" || kind === "purge" || kind === "callee_hours") return
          const second = at(kind, yield* samples[kind](organizationId), 1)
          assert.notStrictEqual(putId(second), putId(first))
          assert.deepStrictEqual(
            yield* refusal(organizationId, second),
            keyOf(second) !== null ? new Conflict({ kind, id: putId(second) }) : null,
            "a second one",
          )
          const others = fresh("org_")
          assert.strictEqual(yield* refusal(others, at(kind, yield* samples[kind](others), 1)), null, "of others")
        }),
      )

      it.effect(`${kind}: a row is read by its id and by what is unique of it, as it was written last`, () =>
        Effect.gen(function* () {
          const store = yield* Store
          const [organizationId, others] = [fresh("org_"), fresh("org_")]
          const row = yield* samples[kind](organizationId)
          const ways = waysTo(at(kind, row, 1), organizationId)
          const read = (asked: RowAsked) => Effect.map(store.rows([asked]), (found) => found.of(asked))
          for (const asked of ways) assert.isNull(yield* read(asked), "not written yet")
          for (const revision of [1, 2]) {
            assert.isNull(yield* refusal(organizationId, at(kind, row, revision)))
            for (const asked of ways) assert.deepStrictEqual(yield* read(asked), { ...row, revision })
          }
          for (const asked of ways) {
            const elsewhere =
              "id" in asked ? { kind, id: `${asked.id}x` } : { kind, organization_id: others, key: asked.key }
            assert.isNull(yield* read(elsewhere), "of others, or of none")
          }
          assert.isNull(yield* read({ kind, organization_id: organizationId, key: strangeKey }))
        }),
      )
    }

    it.effect("a row is read with what was changed of it relatively: the balance, the health of an endpoint", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const organization = sampleOrganization(organizationId)
        const subscription = sampleSubscription(organizationId, null)
        const failure = { at: 2_000, error_class: "timeout", http_status: null } as const
        yield* store.commit(
          sampleCommit(organizationId, {
            changes: [
              { put: "organization", row: organization },
              { put: "subscription", row: subscription },
            ],
          }),
        )
        yield* store.commit(
          sampleCommit(organizationId, {
            changes: [
              { put: "debit", organization_id: organizationId, amount: 1 },
              {
                put: "endpoint_attempt",
                organization_id: organizationId,
                subscription_id: subscription.subscription_id,
                at: 2_000,
                failure,
              },
            ],
          }),
        )
        const account = { kind: "organization", id: organizationId } as const
        const endpoint = { kind: "subscription", id: subscription.subscription_id } as const
        const found = yield* store.rows([account, endpoint])
        const { balance, currency } = organization.wallet
        assert.deepStrictEqual(found.of(account), {
          ...organization,
          wallet: { balance: balance - 1, currency },
        })
        assert.deepStrictEqual(found.of(endpoint), {
          ...subscription,
          health: { failing_since: 2_000, last_failure: failure },
        })
      }),
    )

    it.effect("rows of all kinds are read at once, and each question has its own answer", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const written: Array<Put> = []
        for (const kind of rowKinds.filter(isSampled)) {
          const change = at(kind, yield* samples[kind](organizationId), 1)
          assert.isNull(yield* refusal(organizationId, change))
          written.push(change)
        }
        const asked = written.flatMap((change) => {
          const kind = change.put
          return [...waysTo(change, organizationId), { kind, id: "unknown" }, { kind, id: putId(change) }]
        })
        const found = yield* store.rows(asked)
        const rows = new Map(written.map((change) => [change.put, change.row]))
        for (const one of asked) {
          const isUnknown = "id" in one && one.id === "unknown"
          assert.deepStrictEqual(found.of(one), isUnknown ? null : rows.get(one.kind), one.kind)
        }
        assert.isNull(found.of({ ...asked[0]! }), "what was not asked for has no answer")
        assert.isNull((yield* store.rows([])).of(asked[0]!))
      }),
    )
  })
