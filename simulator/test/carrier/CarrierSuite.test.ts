import { type CarrierReport, Telephony } from "@carillon/core"
import { Activity, Chance, DomainClock, Ids, Parking } from "@carillon/core/ports"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { Carrier } from "../../src/carrier/Carrier.ts"
import { type Outcome } from "../../src/carrier/Outcome.ts"
import { Rules } from "../../src/carrier/Rules.ts"

const { CarrierStage } = CarrierSuite
const hour = 3_600_000
const talkMs = 2 * hour

const outcomes: { readonly [number: string]: Outcome } = {
  "+12125550100": { result: "completed", ring_ms: 2_000, talk_ms: 8_000 },
  "+12125550101": { result: "completed", talk_ms: talkMs },
  "+12125550102": { result: "unconfirmed", talk_ms: talkMs },
  "+12125550103": { result: "busy", duplicate_reports: true },
  "+12125550104": { result: "no-answer", reorder_reports: true },
  "+12125550105": { result: "failed" },
  "+12125550106": { result: "error" },
  "+12125550107": { result: "call-disconnected" },
  "+12125550108": { result: "unreachable" },
  "+12125550109": { result: "rejected" },
  "+12125550110": { result: "invalid" },
}

/** A magic number: no rule of the control contract throttles. */
const throttled = "+999320300000001"

const layer = Layer.unwrap(
  Effect.gen(function* () {
    let now = Date.UTC(2026, 0, 5, 9)
    const reports: Array<CarrierReport> = []
    const clock = { now: () => now }
    const services = Layer.mergeAll(
      Parking.layer.pipe(Layer.provide(Activity.layer), Layer.provide(Layer.succeed(DomainClock, clock))),
      Ids.layerSeeded("suite"),
      Chance.layerSeeded("suite"),
    )
    const { chance, ids, parking } = yield* Effect.provide(
      Effect.all({ chance: Chance, ids: Ids, parking: Parking }),
      services,
    )
    const rules = new Rules()
    rules.replace({
      rules: Object.entries(outcomes).map(([to_number, outcome]) => ({ match: { to_number }, outcome })),
    })
    const quiet = () => {}
    const carrier = new Carrier({
      seed: "suite",
      clock,
      chance,
      ids,
      rules,
      retention: 1_000,
      analytics: () => ({}),
      callerIds: () => ["+12125550199"],
      observer: { dialled: quiet, wentLive: quiet, wentDown: quiet, hungUp: quiet },
    })
    const step = Effect.suspend(() => {
      now = Math.max(now, carrier.next() ?? now)
      return carrier.takeDue(now, (report) => Effect.sync(() => reports.push(report)))?.run ?? Effect.void
    })
    const isThere = (execution_id: string, phase: CarrierReport["type"]): boolean =>
      carrier.query({ execution_id, live: true }, now).data.length === 0 ||
      reports.some((report) => report.execution_id === execution_id && report.type === phase)
    const port = carrier.telephony(parking)
    return Layer.merge(
      Layer.succeed(Telephony, {
        ...port,
        // Whoever waits for an answer that got lost gives up; here at once.
        dial: (command) =>
          Effect.raceFirst(
            port.dial(command),
            Effect.andThen(
              Effect.yieldNow,
              Effect.as(
                Effect.sync(() => parking.expire(Infinity)),
                { _tag: "Unknown" as const },
              ),
            ),
          ),
      }),
      Layer.succeed(CarrierStage, {
        reach: (id, phase) =>
          Effect.whileLoop({
            while: () => !isThere(id, phase) && carrier.next() !== null,
            body: () => step,
            step: quiet,
          }),
        pass: (ms) =>
          Effect.suspend(() => {
            const until = now + ms
            return Effect.andThen(
              Effect.whileLoop({ while: () => (carrier.next() ?? Infinity) <= until, body: () => step, step: quiet }),
              Effect.sync(() => void (now = until)),
            )
          }),
        // A dial that was refused is in the books too, as a leg of no length.
        legs: (execution_id) =>
          Effect.sync(
            () =>
              carrier.query({ execution_id }, now).data.filter(({ ended_at, placed_at }) => ended_at !== placed_at)
                .length,
          ),
        reported: (id) => Effect.sync(() => reports.filter(({ execution_id }) => execution_id === id)),
      }),
    )
  }),
)

CarrierSuite.suite("The simulator's carrier", layer, {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: {
      busy: "+12125550103",
      "no-answer": "+12125550104",
      failed: "+12125550105",
      error: "+12125550106",
      "call-disconnected": "+12125550107",
    },
    refused: {
      unreachable: "+12125550108",
      rejected: "+12125550109",
      invalid_destination: "+12125550110",
      throttled,
    },
  },
  onePerId: false,
})
