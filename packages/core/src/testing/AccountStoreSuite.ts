import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { change } from "../engine/rules/Put.ts"
import { Store } from "../engine/ports/Store.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { fresh, sampleCommit, sampleEpoch, sampleOrganization, samplePhoneNumber, samplePurge } from "./Samples.ts"

/** Lays down what every adapter of `AccountStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | AccountStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("answers with the organization as it is now, and null for one that there is not", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const accounts = yield* AccountStore
        const before = sampleOrganization(fresh("org_"))
        const after = sampleOrganization(before.organization_id, {
          revision: 2,
          plan: "scale",
          wallet: { balance: -2.25, currency: "EUR" },
          concurrency: { organization: 100, per_agent: 5, enforced: false },
          webhook_secret: "secret",
        })
        const { organization_id } = before
        for (const [was, row] of [
          [null, before],
          [before, after],
        ] as const) {
          yield* store.commit(sampleCommit(organization_id, change("organization", was, row, sampleEpoch)))
          assert.deepStrictEqual(yield* accounts.organization(organization_id), row)
        }
        assert.isNull(yield* accounts.organization(fresh("org_")))
      }),
    )

    it.effect("goes through all organizations in the order of their ids, as they are now, a page at a time", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const accounts = yield* AccountStore
        const first = fresh("org_")
        const ids = ["_c", "_a", "_B", "_b"].map((end) => first + end)
        for (const id of ids) {
          const row = sampleOrganization(id)
          yield* store.commit(sampleCommit(id, { changes: [{ put: "organization", row }] }))
        }
        const debited = `${first}_b`
        const debit = { put: "debit", organization_id: debited, amount: 2.5 } as const
        yield* store.commit(sampleCommit(debited, { changes: [debit] }))
        const inOrder = ids.toSorted((one, other) => (one < other ? -1 : 1))
        for (const limit of [1, 3]) {
          const found: Array<string> = []
          for (let last: string = first; found.length < ids.length; last = found.at(-1) ?? last) {
            const page = yield* accounts.organizations(last, limit)
            // Others may have organizations of their own.
            const own = page.filter(({ organization_id }) => organization_id.startsWith(first))
            assert.isAtMost(page.length, limit)
            assert.notStrictEqual(own.length, 0)
            for (const organization of own) {
              found.push(organization.organization_id)
              assert.deepStrictEqual(organization, yield* accounts.organization(organization.organization_id))
            }
          }
          assert.deepStrictEqual(found, inOrder)
        }
        assert.strictEqual((yield* accounts.organizations(null, 1)).length, 1)
        const [organization] = yield* accounts.organizations(`${first}_a`, 1)
        assert.strictEqual(organization?.wallet.balance, 97.5)
      }),
    )

    it.effect(
      "answers with the settings of the whole installation, and with a hold on its dialling while there is one",
      () =>
        Effect.gen(function* () {
          const store = yield* Store
          const accounts = yield* AccountStore
          const revision = (yield* accounts.platform)?.revision ?? 0
          const row = { platform_id: "platform", revision: revision + 1, concurrency: 7 } as const
          const held = { ...row, revision: revision + 2, hold: { since: 1_767_603_600_000, reason: "Put back." } }
          const released = { ...row, revision: revision + 3 }
          for (const platform of [row, held, released]) {
            yield* store.commit(sampleCommit(fresh("org_"), { changes: [{ put: "platform", row: platform }] }))
            assert.deepStrictEqual(yield* accounts.platform, platform)
          }
        }),
    )

    it.effect("knows how far the rows of an organization were purged", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const accounts = yield* AccountStore
        const begun = samplePurge(fresh("org_"))
        const over = samplePurge(begun.organization_id, {
          revision: 2,
          place: null,
          calls_before: begun.before,
          days: null,
        })
        assert.isNull(yield* accounts.purge(begun.organization_id))
        for (const row of [begun, over]) {
          yield* store.commit(sampleCommit(row.organization_id, { changes: [{ put: "purge", row }] }))
          assert.deepStrictEqual(yield* accounts.purge(row.organization_id), row)
        }
        assert.isNull(yield* accounts.purge(fresh("org_")))
      }),
    )

    it.effect("knows numbers per organization, in the order of registration", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const accounts = yield* AccountStore
        const [own, other] = [fresh("org_"), fresh("org_")]
        const texts = ["+15555550109", "+15555550101", "+15555550105"]
        const rows = texts.map((text) => samplePhoneNumber(own, text))
        for (const row of rows) {
          yield* store.commit(sampleCommit(own, { changes: [{ put: "phone_number", row }] }))
        }
        // The same number may belong to two organizations.
        const shared = samplePhoneNumber(other, "+15555550101")
        yield* store.commit(sampleCommit(other, { changes: [{ put: "phone_number", row: shared }] }))
        assert.deepStrictEqual(yield* accounts.numbers(own), texts)
        assert.deepStrictEqual(yield* accounts.numbers(other), [shared.phone_number])
        assert.deepStrictEqual(yield* accounts.numbers(fresh("org_")), [])
        assert.deepStrictEqual(yield* accounts.number(own, "+15555550101"), rows[1])
        assert.deepStrictEqual(yield* accounts.number(other, "+15555550101"), shared)
        assert.isNull(yield* accounts.number(other, "+15555550105"))
        for (const [organization, own_rows] of [
          [own, rows],
          [other, [shared]],
          [fresh("org_"), []],
        ] as const) {
          assert.strictEqual(yield* accounts.numberCount(organization), own_rows.length)
        }
        // What is asked at the same time is one question to some stores.
        const asked = [own, other].flatMap((organization) =>
          [0, 1, 2, 3].flatMap((first) => [1, 2, 5].map((limit) => ({ organization, first, limit }))),
        )
        const found = yield* Effect.forEach(
          asked,
          ({ first, limit, organization }) => accounts.numbersFrom(organization, first, limit),
          { concurrency: "unbounded" },
        )
        for (const [nth, { first, limit, organization }] of asked.entries()) {
          const all = organization === own ? rows : [shared]
          assert.deepStrictEqual(found[nth], all.slice(first, first + limit))
        }
        const gone = texts[1] ?? ""
        const { phone_number_id: id, revision } = (yield* accounts.number(own, gone)) ?? samplePhoneNumber(own, gone)
        const removal = { put: "removal", organization_id: own, kind: "phone_number", id, revision } as const
        yield* store.commit(sampleCommit(own, { changes: [removal] }))
        assert.strictEqual(yield* accounts.numberCount(own), 2)
        assert.deepStrictEqual(yield* accounts.numbersFrom(own, 1, 5), rows.slice(2))
      }),
    )
  })
