import type { PlaceReply, StopReply } from "@carillon/core"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  Call,
  CanceledCall,
  DialedCall,
  Recording,
  ScheduledCall,
  StoppedCall,
  UnconfirmedCall,
} from "../../src/Calls.ts"
import { toWireCall, toWirePlaced, toWireRecording, toWireStopped } from "../../src/mapping/Call.ts"
import { assertReads, call, media } from "./Arbitraries.ts"

const terminal = [
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
  "stopped",
  "balance-low",
  "error",
  "call-disconnected",
]

describe("calls on the wire", () => {
  it("are read by the call schema, with and without their transcript", () => {
    fc.assert(
      fc.property(call, fc.option(media, { nil: null }), (call, media) => {
        assertReads(Call, toWireCall(call, "EUR"))
        assertReads(Call, toWireCall(call, "EUR", media))
        assert.notProperty(toWireCall(call, "EUR"), "transcript")
        assert.property(toWireCall(call, "EUR", media), "transcript")
      }),
    )
  })

  it("have an error object exactly when something went wrong, and never an error code", () => {
    fc.assert(
      fc.property(call, (call) => {
        const wire = toWireCall(call, "EUR")
        assert.deepStrictEqual(wire.error, call.error === null ? undefined : { message: call.error })
        assert.strictEqual("error" in wire, call.error !== null)
      }),
    )
  })

  it("tell terminal from live, times in UTC, and what nothing cost", () => {
    fc.assert(
      fc.property(call, (call) => {
        const wire = toWireCall(call, "EUR")
        assert.strictEqual(wire.is_terminal, terminal.includes(call.status))
        assert.strictEqual(wire.created_at, new Date(call.created_at).toISOString())
        assert.strictEqual(wire.completed_at === null, call.completed_at === null)
        assert.strictEqual(wire.cost.total, call.cost?.total ?? 0)
        assert.strictEqual(wire.cost.currency, call.cost?.currency ?? "EUR")
        assert.strictEqual(wire.provider, "custom")
      }),
    )
  })

  it("carry nothing of how the engine keeps them", () => {
    fc.assert(
      fc.property(call, media, (call, media) => {
        assert.sameMembers(Object.keys(toWireCall({ ...call, error: "x" }, "EUR", media)), Object.keys(Call.fields))
      }),
    )
  })
})

describe("answers to a dial", () => {
  it("are read by the schema of their status, and say what the specification has them say", () => {
    const tags: ReadonlyArray<PlaceReply["_tag"]> = ["Queued", "Scheduled", "Unconfirmed"]
    fc.assert(
      fc.property(call, fc.constantFrom(...tags), (call, _tag) => {
        const { status, body } = toWirePlaced({ _tag, call })
        switch (_tag) {
          case "Queued":
            assert.strictEqual(status, 201)
            assert.strictEqual(body.status, "queued")
            return assertReads(DialedCall, body)
          case "Unconfirmed":
            assert.strictEqual(status, 202)
            assert.deepInclude(body, { status: "queued", dispatch: "pending_confirmation" })
            return assertReads(UnconfirmedCall, body)
          case "Scheduled":
            assert.strictEqual(status, 202)
            assert.deepInclude(body, { deferred_by_calling_guard: call.deferred_by_calling_guard })
            return assertReads(ScheduledCall, body)
        }
      }),
    )
  })
})

describe("answers to a stop", () => {
  it("are read by the schema of their status", () => {
    fc.assert(
      fc.property(call, fc.option(fc.nat(), { nil: null }), (call, scheduled_at) => {
        const canceled = toWireStopped({ _tag: "Canceled", call, scheduled_at })
        assert.strictEqual(canceled.status, 200)
        assertReads(CanceledCall, canceled.body)
        const reply: StopReply = { _tag: "Stopped", call, requested_at: call.updated_at, reason: "user_request" }
        const stopped = toWireStopped(reply)
        assert.strictEqual(stopped.status, 202)
        assertReads(StoppedCall, stopped.body)
      }),
    )
  })
})

describe("recordings", () => {
  it("are read by their schema where there is one, and null otherwise", () => {
    fc.assert(
      fc.property(call, (call) => {
        const wire = toWireRecording(call)
        assert.strictEqual(wire === null, call.recording_url === null)
        if (wire === null) return
        assertReads(Recording, wire)
        assert.deepInclude(wire, { content_type: "audio/wav", expires_at: null })
      }),
    )
  })
})
