import { WebhookSignature } from "@carillon/core/domain"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { seenInMemory, webhookReceiver } from "../src/WebhookReceiver.ts"

const secret = "whsec_a"
const at = 1_700_000_000

const delivery = (eventId: string) => {
  const body = JSON.stringify({ event_type: "call_completed", event_id: eventId, call_id: "exec_1" })
  return { body, signature: WebhookSignature.sign(secret, at, body) }
}

const options = { secrets: [secret], now: () => at * 1000 }

describe("a receiver", () => {
  it("handles each event once, however often and in whatever order it comes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("evt_1", "evt_2", "evt_3"), { maxLength: 20 }), async (ids) => {
        const handled: Array<string> = []
        const receive = webhookReceiver({ ...options, handle: ({ event_id }) => void handled.push(event_id) })
        const answers = await Promise.all(ids.map((id) => receive(delivery(id))))
        assert.deepStrictEqual(handled.toSorted(), [...new Set(ids)].toSorted())
        assert.isTrue(answers.every(({ status }) => status === 204))
        assert.strictEqual(answers.filter(({ outcome }) => outcome === "duplicate").length, ids.length - handled.length)
      }),
    )
  })

  it("lets an event in again whose handling failed", async () => {
    let calls = 0
    const errors: Array<unknown> = []
    const receive = webhookReceiver({
      ...options,
      handle: () => {
        calls += 1
        if (calls === 1) throw new Error("the database is away")
      },
      onError: (error) => errors.push(error),
    })
    const outcomes = [
      await receive(delivery("evt_1")),
      await receive(delivery("evt_1")),
      await receive(delivery("evt_1")),
    ]
    assert.deepStrictEqual(
      outcomes.map(({ outcome }) => outcome),
      ["failed", "handled", "duplicate"],
    )
    assert.strictEqual(errors.length, 1)
  })

  it("acknowledges nothing that is still being handled, and crashes with nobody", async () => {
    const first = Promise.withResolvers<void>()
    let calls = 0
    const receive = webhookReceiver({
      ...options,
      handle: () => (calls++ === 0 ? first.promise : undefined),
      seen: {
        ...seenInMemory(),
        release: () => {
          throw new Error("forgets nothing")
        },
      },
      onError: () => {
        throw new Error("tells nobody")
      },
    })
    const attempts = [receive(delivery("evt_1")), receive(delivery("evt_1"))]
    first.reject(new Error("the database is away"))
    const outcomes = (await Promise.all(attempts)).map(({ outcome, status }) => [status, outcome])
    assert.deepStrictEqual(outcomes, [
      [500, "failed"],
      [500, "failed"],
    ])
    assert.strictEqual(calls, 1)
  })

  it("refuses what is not genuine, and asks again where its memory is away", async () => {
    const never = () => assert.fail("handled")
    const reasons: Array<string> = []
    const onRefused = (reason: string) => {
      reasons.push(reason)
      throw new Error("whoever is told may fail, too")
    }
    const receive = webhookReceiver({ ...options, handle: never, onRefused })
    const forged = WebhookSignature.sign("whsec_b", at, "{}")
    const old = WebhookSignature.sign(secret, at - 301, "{}")
    for (const signature of [forged, old]) {
      assert.deepStrictEqual(await receive({ body: "{}", signature }), { status: 400, outcome: "refused" })
    }
    assert.deepStrictEqual(reasons, ["mismatch", "stale"])
    const seen = { take: () => Promise.reject(new Error("away")), release: () => {} }
    const forgetful = webhookReceiver({ ...options, seen, handle: never })
    assert.deepStrictEqual(await forgetful(delivery("evt_1")), { status: 500, outcome: "failed" })
  })

  it("remembers no more than it is told", () => {
    const seen = seenInMemory(2)
    assert.deepStrictEqual(
      ["a", "b", "a", "c", "a"].map((id) => seen.take(id)),
      [true, true, false, true, true],
    )
  })
})
