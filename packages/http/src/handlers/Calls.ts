import {
  pageRequest,
  toWireCall,
  toWirePlaced,
  toWireRecording,
  toWireStopped,
  toWireTiming,
  toWireTranscript,
} from "@carillon/api"
import { type Caller, Calls, Forbidden, limits, NotFound } from "@carillon/core"
import { isRecordingAddress, ScopePolicy } from "@carillon/core/domain"
import { NowAndThen } from "@carillon/core/ports"
import { Clock, Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { callFilter, callPage, instant } from "./CallPages.ts"

/** Placing, reading and stopping calls. */
export const callHandlers = Effect.gen(function* () {
  const calls = yield* Calls
  const unplayable = new NowAndThen(limits.mistakesToldMs)

  /** Who may remove a suppression, or callee hours, may override them. */
  const mayOverride = Effect.fnUntraced(function* (caller: Caller, what: string) {
    const scope = "agents:write"
    if (ScopePolicy.allows(caller.key, scope)) return
    return yield* new Forbidden({
      message: `This API key is not authorized to override ${what}. Missing scope: ${scope}.`,
      missing: [scope],
    })
  })

  const callWithMedia = Effect.fnUntraced(function* (caller: Caller, executionId: string) {
    const call = yield* calls.find(caller.organization_id, executionId)
    return { call, media: yield* calls.media(caller.organization_id, call.execution_id) }
  })

  const handlers: HandlersOf<"calls"> = {
    "calls.place": Effect.fnUntraced(function* ({ caller, payload }) {
      const { override_call_caps = false, override_callee_hours = false, override_suppression = false } = payload
      const { scheduled_at = null } = payload
      if (override_suppression) yield* mayOverride(caller, "a suppression")
      if (override_callee_hours) yield* mayOverride(caller, "callee hours")
      if (override_call_caps) yield* mayOverride(caller, "call caps")
      const reply = yield* calls.place(caller, {
        agent_id: payload.agent_id,
        to_number: payload.to_number,
        from_number: payload.from_number ?? null,
        variables: payload.variables ?? {},
        metadata: payload.metadata ?? {},
        scheduled_at: scheduled_at === null ? null : yield* instant("scheduled_at", scheduled_at),
        record: payload.record ?? true,
        timeout_seconds: payload.timeout_seconds ?? limits.ringTimeoutSeconds.default,
        override_suppression,
        override_callee_hours,
        override_call_caps,
      })
      return toWirePlaced(reply)
    }),
    "calls.list": Effect.fnUntraced(function* ({ caller, query }) {
      const filter = yield* callFilter(query)
      const request = pageRequest(query)
      const page = yield* calls.page(caller.organization_id, filter, request)
      return yield* callPage(calls, caller.organization_id, page, request, query)
    }),
    "calls.get": Effect.fnUntraced(function* ({ caller, params, query }) {
      const call = yield* calls.find(caller.organization_id, params.execution_id)
      const currency = yield* calls.currency(caller.organization_id, [call])
      const media = query.include_transcript ? yield* calls.media(caller.organization_id, call.execution_id) : undefined
      return { status: 200, body: toWireCall(call, currency, media) }
    }),
    "calls.transcript": ({ caller, params }) =>
      Effect.map(callWithMedia(caller, params.execution_id), ({ call, media }) => ({
        status: 200,
        body: toWireTranscript(call.execution_id, media),
      })),
    "calls.stop": ({ caller, params, payload }) =>
      Effect.map(calls.stop(caller, params.execution_id, payload.reason ?? null), toWireStopped),
    "calls.recording": Effect.fnUntraced(function* ({ caller, params, query }) {
      const call = yield* calls.find(caller.organization_id, params.execution_id)
      const recording = toWireRecording(call)
      if (recording === null) {
        return yield* new NotFound({ message: "No recording is available for this execution." })
      }
      const { recording_url } = recording
      if (!query.redirect) return { status: 200, body: recording }
      if (isRecordingAddress(recording_url)) return { status: 302, location: recording_url }
      // An earlier release kept whatever a host's own carrier said of a recording: nobody can be sent there.
      const recordings = unplayable.note(yield* Clock.currentTimeMillis)
      if (recordings !== null) {
        yield* Effect.logError("The carrier's recording_url is no absolute http or https address.").pipe(
          Effect.annotateLogs({ execution_id: call.execution_id, recordings }),
        )
      }
      return yield* new NotFound({ message: "No recording is available for this execution." })
    }),
    "calls.timing": ({ caller, params }) =>
      Effect.map(callWithMedia(caller, params.execution_id), ({ call, media }) => ({
        status: 200,
        body: toWireTiming(call, media),
      })),
  }
  return handlers
})
