import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Call } from "../calls/rules/Call.ts"
import { callStatuses, isTerminal } from "../calls/rules/CallStatus.ts"
import type { Change } from "../engine/rules/Commit.ts"
import { Store } from "../engine/ports/Store.ts"
import { NumberStore } from "../numbers/ports/NumberStore.ts"
import { law } from "./Law.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCall, sampleCommit, sampleInboundAgent, samplePhoneNumber } from "./Samples.ts"

const put = Effect.fnUntraced(function* (organizationId: string, ...changes: ReadonlyArray<Change>) {
  yield* (yield* Store).commit(sampleCommit(organizationId, { changes }))
})

const numbers = ["+15555550101", "+15555550102"]

/** Lays down what every adapter of `NumberStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | NumberStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("shows numbers and bindings to their own organization only, newest first", () =>
      Effect.gen(function* () {
        const store = yield* NumberStore
        const organizationId = fresh("org_")
        const first = samplePhoneNumber(organizationId, "+15555550101")
        const second = samplePhoneNumber(organizationId, "+15555550102")
        const [a, b] = [sampleInboundAgent(first), sampleInboundAgent(second, { enabled: false })]
        yield* put(organizationId, { put: "phone_number", row: first }, { put: "phone_number", row: second })
        yield* put(organizationId, { put: "inbound_agent", row: a })
        yield* put(organizationId, { put: "inbound_agent", row: b })
        assert.deepStrictEqual(yield* store.find(organizationId, first.phone_number_id), first)
        assert.deepStrictEqual(yield* store.binding(organizationId, a.inbound_agent_id), a)
        assert.deepStrictEqual(yield* store.bindingOf(organizationId, second.phone_number_id), b)
        const request = { page: 1, page_size: 1 }
        assert.deepStrictEqual(yield* store.page(organizationId, request), { items: [second], total: 2 })
        assert.deepStrictEqual(yield* store.bindings(organizationId, request), { items: [b], total: 2 })
        assert.deepStrictEqual(yield* store.page(organizationId, { page: 2, page_size: 1 }), {
          items: [first],
          total: 2,
        })
        const foreign = fresh("org_")
        assert.isNull(yield* store.find(foreign, first.phone_number_id))
        assert.isNull(yield* store.binding(foreign, a.inbound_agent_id))
        assert.isNull(yield* store.bindingOf(foreign, first.phone_number_id))
        assert.deepStrictEqual(yield* store.page(foreign, request), { items: [], total: 0 })
        assert.deepStrictEqual(yield* store.bindings(foreign, request), { items: [], total: 0 })
      }),
    )

    it.effect("tells every organization that has a number, and no more once it is given up", () =>
      Effect.gen(function* () {
        const store = yield* NumberStore
        const text = `+1555${String(Math.trunc(Number.parseInt(fresh("").slice(0, 8), 16))).padStart(10, "0")}`
        const rows = ["a", "b"].map(() => samplePhoneNumber(fresh("org_"), text))
        assert.deepStrictEqual(yield* store.holders([text]), [[]])
        for (const row of rows) yield* put(row.organization_id, { put: "phone_number", row })
        const organizations = rows.map(({ organization_id }) => organization_id)
        assert.sameMembers((yield* store.holders([text])).flat(), organizations)
        for (const { organization_id, phone_number_id } of rows.slice(1)) {
          yield* put(organization_id, {
            put: "removal",
            organization_id,
            kind: "phone_number",
            id: phone_number_id,
            revision: 1,
          })
        }
        assert.deepStrictEqual(yield* store.holders([text]), [organizations.slice(0, 1)])
      }),
    )

    it.effect("tells whose each of many numbers is that are asked for at once", () =>
      law(
        fc.array(fc.subarray([0, 1, 2]), { minLength: 1, maxLength: 40 }),
        Effect.fnUntraced(function* (held) {
          const store = yield* NumberStore
          const organizations = [fresh("org_"), fresh("org_"), fresh("org_")]
          const texts = held.map(() => fresh("+1"))
          for (const [nth, organizationId] of organizations.entries()) {
            const rows = texts.filter((_, at) => held[at]?.includes(nth))
            const changes = rows.map((text): Change => ({
              put: "phone_number",
              row: samplePhoneNumber(organizationId, text),
            }))
            if (changes.length > 0) yield* put(organizationId, ...changes)
          }
          const asked = [...texts, fresh("+1"), ...texts.slice(0, 1)]
          const found = yield* store.holders(asked)
          const expected = [...held, [], ...held.slice(0, 1)].map((holders) => holders.map((nth) => organizations[nth]))
          assert.deepStrictEqual(
            found.map((holders) => new Set(holders)),
            expected.map((holders) => new Set(holders)),
          )
          assert.deepStrictEqual(
            found.map(({ length }) => length),
            expected.map(({ length }) => length),
          )
        }),
        { numRuns: 10 },
      ),
    )

    it.effect("refuses a number twice and a second agent for a number, until the first is removed", () =>
      Effect.gen(function* () {
        const store = yield* NumberStore
        const organizationId = fresh("org_")
        const number = samplePhoneNumber(organizationId, "+15555550101")
        const binding = sampleInboundAgent(number)
        yield* put(organizationId, { put: "phone_number", row: number }, { put: "inbound_agent", row: binding })
        const again = samplePhoneNumber(organizationId, "+15555550101")
        const rival = sampleInboundAgent(number)
        const refused = [
          yield* refusalOf(put(organizationId, { put: "phone_number", row: again })),
          yield* refusalOf(put(organizationId, { put: "inbound_agent", row: rival })),
        ]
        assert.deepStrictEqual(
          refused.map((refusal) => refusal?._tag),
          ["Conflict", "Conflict"],
        )
        const removal = (kind: "phone_number" | "inbound_agent", id: string): Change => ({
          put: "removal",
          organization_id: organizationId,
          kind,
          id,
          revision: 1,
        })
        yield* put(
          organizationId,
          removal("inbound_agent", binding.inbound_agent_id),
          removal("phone_number", number.phone_number_id),
        )
        assert.isNull(yield* store.find(organizationId, number.phone_number_id))
        assert.isNull(yield* store.bindingOf(organizationId, number.phone_number_id))
        yield* put(organizationId, { put: "phone_number", row: again }, { put: "inbound_agent", row: rival })
        assert.deepStrictEqual(yield* store.find(organizationId, again.phone_number_id), again)
      }),
    )

    it.effect("counts the live calls of a number on the organization's side, through every change of them", () =>
      law(
        fc.array(
          fc.record({
            call: fc.nat(3),
            status: fc.constantFrom(...callStatuses),
            dial: fc.constantFrom<Call["dial"]>("none", "intended", "accepted", "unconfirmed", "refused"),
          }),
          { maxLength: 16 },
        ),
        Effect.fnUntraced(function* (changes) {
          const store = yield* NumberStore
          const organizationId = fresh("org_")
          const calls = Array.from({ length: 4 }, (_, index) =>
            sampleCall(organizationId, {
              direction: index < 2 ? "outbound" : "inbound",
              to_number: numbers[index % 2]!,
              from_number: numbers[(index + 1) % 2]!,
            }),
          )
          for (const row of calls) yield* put(organizationId, { put: "call", row })
          for (const { call, dial, status } of changes) {
            const row = { ...calls[call]!, revision: calls[call]!.revision + 1, dial, status }
            calls[call] = row
            yield* put(organizationId, { put: "call", row })
          }
          const live = calls.filter(({ dial, status }) => dial !== "none" && dial !== "refused" && !isTerminal(status))
          const expected = numbers.map(
            (number) =>
              live.filter((call) => (call.direction === "outbound" ? call.from_number : call.to_number) === number)
                .length,
          )
          assert.deepStrictEqual(yield* store.live(organizationId, numbers), expected)
          assert.deepStrictEqual(yield* store.live(fresh("org_"), numbers), [0, 0])
        }),
        { numRuns: 30 },
      ),
    )
  })
