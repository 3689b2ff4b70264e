import { AgentStore, CallStore, type DialCommand, type DialOutcome, Telephony } from "@carillon/core"
import { Effect, FiberSet, Layer } from "effect"
import { bounds } from "./Bounds.ts"
import { type DialParts, place } from "./Dial.ts"
import { legAmong } from "./Finding.ts"
import { hangUp } from "./Hangup.ts"
import { jobOf, roomOfCall } from "./Job.ts"
import { legOfRow } from "./LegBook.ts"
import { told } from "./Mistakes.ts"

/** A dial that is not sent because of a mistake of its host: there is no leg. */
const notSent = (executionId: string, mistake: string): Effect.Effect<DialOutcome> =>
  Effect.logError(`A call is not dialled: ${mistake}`).pipe(
    Effect.annotateLogs({ execution_id: executionId }),
    Effect.as({ _tag: "Refused", kind: "rejected" }),
  )

const lengthOf = (text: string): number => new TextEncoder().encode(text).byteLength

/** The carrier, on the rows that say what was dialled and the agents that say who speaks. */
export const carrierLayer = (parts: DialParts): Layer.Layer<Telephony, never, CallStore | AgentStore> =>
  Layer.effect(
    Telephony,
    Effect.gen(function* () {
      const { book, clients, desk, settings } = parts
      const calls = yield* CallStore
      const agents = yield* AgentStore
      const fork = yield* FiberSet.makeRuntime()
      desk.start = (work) => void fork(work)
      desk.run = yield* FiberSet.makeRuntimePromise()
      desk.known = (executionId) => {
        const leg = book.find(executionId)
        if (leg?.isOwn === true) return Effect.succeed(leg)
        return Effect.map(calls.locate(executionId), (row) => (row === null ? leg : book.learn(legOfRow(row))))
      }
      const { known } = desk
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          desk.run = null
          desk.start = null
          desk.known = null
        }),
      )

      const dial = Effect.fnUntraced(function* (call: DialCommand): Effect.fn.Return<DialOutcome> {
        const { execution_id } = call
        const agent = yield* Effect.option(agents.find(call.organization_id, call.agent_id))
        if (agent._tag === "None") return { _tag: "Refused", kind: "unreachable" }
        const job = yield* Effect.option(
          Effect.try({ try: () => jobOf(settings, call, agent.value), catch: (error) => error }).pipe(
            Effect.tapCause((cause) => Effect.logError("The host's configuration has a mistake.", told(cause))),
          ),
        )
        if (job._tag === "None") return yield* notSent(execution_id, "nobody would speak with who answers.")
        if (lengthOf(job.value) > bounds.metadataBytes) {
          return yield* notSent(execution_id, `its worker would be told more than ${bounds.metadataBytes} bytes.`)
        }
        return yield* place(parts, call, job.value, fork)
      })

      return Telephony.of({
        dial,
        hangup: (executionId) => hangUp(settings, clients, book, executionId),
        find: Effect.fnUntraced(function* (executionId) {
          const read = yield* Effect.option(known(executionId))
          if (read._tag === "None") return { _tag: "NoAnswer" }
          const leg = read.value
          if (leg !== null && leg.end !== null) {
            return { _tag: "Ended", call_sid: leg.call_sid, end: leg.end, facts: leg.facts }
          }
          const answer = yield* clients.participants(roomOfCall(settings, executionId))
          if (answer._tag !== "Done" && !(answer._tag === "Failed" && answer.code === "not_found")) {
            return { _tag: "NoAnswer" }
          }
          const found = answer._tag === "Done" ? legAmong(answer.value, executionId) : { _tag: "None" as const }
          // Its request will say what became of it.
          if (found._tag === "None" && leg?.pending === true) return { _tag: "NoAnswer" }
          if (found._tag !== "Leg") return { _tag: "Unknown" }
          if (found.phase === null) return { _tag: "NoAnswer" }
          return { _tag: "Live", call_sid: found.call_sid ?? leg?.call_sid ?? null, phase: found.phase }
        }),
      })
    }),
  )
