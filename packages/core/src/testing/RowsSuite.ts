import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { contactId } from "../contacts/Contact.ts"
import { untouched } from "../contacts/ContactProgress.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { Conflict, Store } from "../engine/Store.ts"
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
  sampleCommit,
  sampleDelivery,
  sampleEvent,
  sampleExperiment,
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
  batch: made((id) => sampleBatch(id)),
  contact: Effect.fnUntraced(function* (id) {
    const batch = sampleBatch(id)
    yield* (yield* ContactStore).fill(batch.batch_id, 0, [{ to_number: number, variables: {} }])
    return { ...untouched(batch, contactId(batch.batch_id, 0), 0), revision: 1 }
  }),
  callee: made((id) => sampleCallee(id)),
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

const isUnique = <K extends RowKind>({ put, row }: { readonly put: K; readonly row: Rows[K] }): boolean =>
  (descriptions[put].unique?.(row) ?? null) !== null

/** Lays down what every store knows of each kind of row by its description: how it is told apart, and what of it is unique. */
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
          if (kind === "organization" || kind === "purge") return
          const second = at(kind, yield* samples[kind](organizationId), 1)
          assert.notStrictEqual(putId(second), putId(first))
          assert.deepStrictEqual(
            yield* refusal(organizationId, second),
            isUnique(second) ? new Conflict({ kind, id: putId(second) }) : null,
            "a second one",
          )
          const others = fresh("org_")
          assert.strictEqual(yield* refusal(others, at(kind, yield* samples[kind](others), 1)), null, "of others")
        }),
      )
    }
  })
