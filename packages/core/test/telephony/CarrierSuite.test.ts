import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import {
  type Asked,
  type Call,
  Carriers,
  type CarrierReport,
  type DialCommand,
  type DialOutcome,
  Telephony,
} from "@carillon/core"
import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Exit, Layer } from "effect"
import { carrierLaws } from "../../src/testing/CarrierLaws.ts"
import { Carrier, ordinary, type Script } from "../../src/testing/world/Carrier.ts"

const { CarrierStage } = CarrierSuite
const start = Date.UTC(2026, 0, 5, 9)
const hour = 3_600_000

const talking: Script = {
  reports: [
    [300, "initiated"],
    [1_000, "ringing"],
    [5_000, "answered"],
    [2 * hour, "ended"],
    [2 * hour + 1, "final"],
  ],
}
const endingAs = (status: "busy" | "no-answer"): Script => ({
  reports: [
    [1_000, "ringing"],
    [9_000, "ended"],
    [9_500, "final"],
  ],
  end: { status, duration_seconds: null, hangup_by: null, hangup_reason: null },
})
const refusing = (kind: "unreachable" | "rejected" | "invalid_destination" | "insufficient_funds"): Script => ({
  outcome: { _tag: "Refused", kind },
})

const scripts: { readonly [number: string]: Script } = {
  "+12125550101": talking,
  "+12125550102": { ...talking, outcome: { _tag: "Unknown" } },
  "+12125550103": endingAs("busy"),
  "+12125550104": endingAs("no-answer"),
  "+12125550105": refusing("unreachable"),
  "+12125550106": refusing("rejected"),
  "+12125550107": refusing("invalid_destination"),
  "+12125550108": refusing("insufficient_funds"),
  "+12125550109": { outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 } },
}

const traits: CarrierSuite.CarrierTraits = {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: { busy: "+12125550103", "no-answer": "+12125550104" },
    refused: {
      unreachable: "+12125550105",
      rejected: "+12125550106",
      invalid_destination: "+12125550107",
      insufficient_funds: "+12125550108",
      throttled: "+12125550109",
    },
  },
  onePerId: false,
}

type Port = Telephony["Service"]
type Stage = CarrierSuite.CarrierStage["Service"]

/** How a carrier differs from the right one. */
interface Twist {
  readonly port?: (right: Port, stage: Stage, rows: ReadonlyMap<string, Call>) => Partial<Port>
  /** A callback is taken though nobody has signed it. */
  readonly takesForged?: true
  /** What a callback that comes again is reported as. */
  readonly again?: (report: CarrierReport) => CarrierReport
  readonly report?: (report: CarrierReport) => CarrierReport | null
}

const secret = "a secret of the vendor's"
const signed = (body: string) => ({ "x-signature": createHmac("sha256", secret).update(body).digest("hex") })

/** The carrier of the test world on its own, with a clock that only the stage moves. */
const stageOf = ({
  again = (report) => report,
  port = () => ({}),
  report: told = (report) => report,
  takesForged,
}: Twist = {}) =>
  Effect.gen(function* () {
    let now = start
    const reports: Array<CarrierReport> = []
    const called: Array<string> = []
    const rows = new Map<string, Call>()
    const carrier = new Carrier(
      () => now,
      ({ to_number }) => scripts[to_number] ?? ordinary,
    )
    const parking = yield* Effect.provide(
      Parking,
      Parking.layer.pipe(Layer.provide(Activity.layer), Layer.provide(Layer.succeed(DomainClock, { now: () => now }))),
    )
    const step = (): void => {
      now = Math.max(now, carrier.next() ?? now)
      const report = carrier.step(now)
      const heard = report === null ? null : told(report)
      if (heard === null) return
      reports.push(heard)
      called.push(JSON.stringify(heard))
    }
    const isThere = (id: string, phase: string): boolean => {
      const leg = carrier.legs.get(id)
      return leg === undefined || leg.phase === phase || leg.phase === "ended"
    }
    const stage: Stage = {
      reach: (id, phase) =>
        Effect.sync(() => {
          while (!isThere(id, phase) && carrier.next() !== null) step()
        }),
      pass: (ms) =>
        Effect.sync(() => {
          const until = now + ms
          while ((carrier.next() ?? Infinity) <= until) step()
          now = until
        }),
      legs: (id) =>
        Effect.sync(
          () =>
            carrier.dials.filter(
              ({ execution_id, to_number }) => execution_id === id && scripts[to_number]?.outcome?._tag !== "Refused",
            ).length,
        ),
      reported: (id) => Effect.sync(() => reports.filter(({ execution_id }) => execution_id === id)),
      callbacks: {
        sent: () => called.map((body) => ({ url: "https://host.test/", headers: signed(body), body })),
        take: async ({ body, headers }) => {
          const isGenuine = headers["x-signature"] === signed(body)["x-signature"]
          if (!isGenuine && takesForged === undefined) return 401
          const report: CarrierReport = JSON.parse(body)
          reports.push(again(report))
          return 200
        },
      },
      keepRow: (call) => Effect.sync(() => void rows.set(call.execution_id, call)),
    }
    const right = carrier.telephony(parking)
    return { stage, port: { ...right, ...port(right, stage, rows) } }
  })

const layerOf = (twist: Twist = {}) =>
  Layer.unwrap(
    Effect.map(stageOf(twist), ({ port, stage }) =>
      Layer.merge(Layer.succeed(Telephony, port), Layer.succeed(CarrierStage, stage)),
    ),
  )

CarrierSuite.suite("The carrier of the test world", layerOf(), traits)

/** Takes the execution id as its key, and closes an id for good once it has said that nobody dialled it. */
const keyed: Twist = {
  port: (right, stage) => {
    const known = new Map<string, DialOutcome>()
    const closed = new Set<string>()
    return {
      dial: (command) =>
        Effect.suspend(() => {
          const { execution_id } = command
          if (closed.has(execution_id)) return Effect.succeed({ _tag: "Refused", kind: "rejected" })
          const before = known.get(execution_id)
          if (before !== undefined) return Effect.succeed(before)
          known.set(execution_id, { _tag: "Accepted", call_sid: null })
          return right.dial(command)
        }),
      find: (id) =>
        Effect.flatMap(stage.legs(id), (legs): Effect.Effect<Asked> => {
          if (legs > 0) return right.find(id)
          closed.add(id)
          return Effect.succeed({ _tag: "NeverDialled" })
        }),
    }
  },
}

CarrierSuite.suite("A carrier that takes the execution id as its key", layerOf(keyed), { ...traits, onePerId: true })

/** The carrier behind a route, after others that are not there. */
const behindRoute = (others: ReadonlyArray<string>) => {
  const absent = Layer.succeed(Telephony, {
    dial: () => Effect.succeed({ _tag: "Refused", kind: "unreachable" }),
    hangup: () => Effect.succeed("Refused"),
    find: () => Effect.succeed({ _tag: "Unknown" }),
  })
  return Layer.unwrap(
    Effect.map(stageOf(), ({ port, stage }) => {
      const carriers = {
        own: { carrier: Layer.succeed(Telephony, port) },
        ...Object.fromEntries(others.map((name) => [name, { carrier: absent }])),
      }
      const route = Carriers.route({ carriers, choose: () => [...others, "own"] })
      return Layer.merge(route, Layer.succeed(CarrierStage, stage))
    }),
  )
}

CarrierSuite.suite("A carrier behind a route", behindRoute([]), traits)
CarrierSuite.suite("A carrier behind a route, whose first choices are not there", behindRoute(["one", "two"]), traits)

const findingInstead = (change: (found: Asked) => Asked): Twist => ({
  port: (right) => ({ find: (id) => Effect.map(right.find(id), change) }),
})
const ifEnded = (change: (found: Extract<Asked, { _tag: "Ended" }>) => Asked) =>
  findingInstead((found) => (found._tag === "Ended" ? change(found) : found))

/** A carrier that ends what it does not know by what the engine's row says of it. */
const claiming = (isClaimed: (row: Call) => boolean): Twist => ({
  port: (right, _, rows) => ({
    find: (id) =>
      Effect.map(right.find(id), (found): Asked => {
        const row = rows.get(id)
        if (found._tag !== "Unknown" || row === undefined || !isClaimed(row)) return found
        const nothing = { answered_by_voicemail: null, hangup_by: null, hangup_reason: null, error: null }
        const end = { ...nothing, status: "completed" as const, duration_seconds: row.duration_seconds }
        return { _tag: "Ended", call_sid: row.call_sid, end, facts: { recording_url: null, cost: null, media: null } }
      }),
  }),
})

/** Carriers that are wrong in one way each, and the law that shows it. */
const wrong: Record<string, { readonly twist: Twist; readonly shows: RegExp; readonly onePerId?: boolean }> = {
  "accepts a dial and makes no leg": {
    twist: { port: () => ({ dial: () => Effect.succeed({ _tag: "Accepted", call_sid: null }) }) },
    shows: /^an accepted dial is one leg/,
  },
  "refuses a dial and makes a leg": {
    twist: {
      port: (right) => ({
        dial: (command) =>
          Effect.flatMap(right.dial(command), (said) =>
            said._tag === "Refused" && said.kind === "rejected"
              ? Effect.as(right.dial({ ...command, to_number: traits.numbers.completed }), said)
              : Effect.succeed(said),
          ),
      }),
    },
    shows: /refused as rejected makes no leg/,
  },
  "says rejected for what is unreachable": {
    twist: {
      port: (right) => ({
        dial: (command) =>
          Effect.map(right.dial(command), (said) =>
            said._tag === "Refused" && said.kind === "unreachable" ? { _tag: "Refused", kind: "rejected" } : said,
          ),
      }),
    },
    shows: /refused as unreachable/,
  },
  "refuses a dial whose answer got lost": {
    twist: {
      port: (right) => ({
        dial: (command) =>
          Effect.map(right.dial(command), (said) =>
            said._tag === "Unknown" ? { _tag: "Refused", kind: "unreachable" } : said,
          ),
      }),
    },
    shows: /answer gets lost/,
  },
  "makes a second leg of a dial that is repeated": { twist: {}, onePerId: true, shows: /however often it is repeated/ },
  "forgets the legs that are over": {
    twist: ifEnded(() => ({ _tag: "Unknown" })),
    shows: /found for ever/,
  },
  "says that nobody dialled, and takes the dial that comes late": {
    twist: findingInstead((found) => (found._tag === "Unknown" ? { _tag: "NeverDialled" } : found)),
    shows: /a dial that comes late is refused/,
  },
  "finds the last leg to the same number": {
    twist: {
      port: (right) => {
        const dialled = new Map<string, DialCommand>()
        const lastTo = (id: string): string =>
          [...dialled.values()].findLast(({ to_number }) => to_number === dialled.get(id)?.to_number)?.execution_id ??
          id
        return {
          dial: (command) => {
            dialled.set(command.execution_id, command)
            return right.dial(command)
          },
          find: (id) => right.find(lastTo(id)),
        }
      },
    },
    shows: /not taken for one another/,
  },
  "sends no hang-up": { twist: { port: () => ({ hangup: () => Effect.succeed("Sent") }) }, shows: /a hang-up ends/ },
  "hangs up only by its own id": {
    twist: {
      port: (right) => ({
        hangup: (id, sid) => (sid === null ? Effect.succeed("Sent") : right.hangup(id, sid)),
      }),
    },
    shows: /with the carrier's id or without/,
  },
  "takes every end for a completed one": {
    twist: ifEnded((found) => ({ ...found, end: { ...found.end, status: "completed" } })),
    shows: /ends busy is reported so/,
  },
  "does not report an end": {
    twist: { report: (report) => (report.type === "ended" || report.type === "final" ? null : report) },
    shows: /ends completed is reported so/,
  },
  "reports what is malformed": {
    twist: { report: (report) => ({ ...report, at: Number.NaN }) },
    shows: /ends completed is reported so/,
  },
  "ends otherwise for those who hear its last word late": {
    twist: {
      report: (report) =>
        report.type === "final" ? { ...report, end: { ...report.end, duration_seconds: 99 } } : report,
    },
    shows: /in any order/,
  },
  "takes callbacks that nobody has signed": { twist: { takesForged: true }, shows: /a forged callback is refused/ },
  "tells another length when a callback comes again": {
    twist: {
      again: ({ at, call_sid, execution_id }) => ({
        ...{ at, call_sid, execution_id },
        ...{ type: "corrected", facts: {}, end: { duration_seconds: 99 } },
      }),
    },
    shows: /one that comes again changes nothing/,
  },
  "takes a row of another carrier that is over for its own": {
    twist: claiming((row) => row.completed_at !== null),
    shows: /the row of another carrier/,
  },
  "takes a row of another carrier that was answered for its own, as it has no such leg any more": {
    twist: claiming((row) => row.answered_at !== null),
    shows: /the row of another carrier/,
  },
  "throws when it is asked about what it does not know": {
    twist: findingInstead((found) => {
      if (found._tag === "Unknown") throw new Error("404")
      return found
    }),
    shows: /an id that was not dialled/,
  },
}

describe("the suite shows a carrier that", () => {
  for (const [how, { onePerId = false, shows, twist }] of Object.entries(wrong)) {
    it.effect(how, () =>
      Effect.gen(function* () {
        const broken: Array<string> = []
        for (const { holds, name } of carrierLaws({ ...traits, onePerId })) {
          const exit = yield* Effect.exit(Effect.provide(holds, layerOf(twist)))
          if (Exit.isFailure(exit)) broken.push(name)
        }
        assert.isTrue(
          broken.some((name) => shows.test(name)),
          `broken: ${broken.join("; ")}`,
        )
      }),
    )
  }
})
