import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Call } from "../calls/rules/Call.ts"
import { Engine } from "../Engine.ts"
import { checkedFinding, checkedHangup, checkedOutcome, checkedReport } from "../telephony/rules/CarrierWords.ts"
import { Telephony } from "../telephony/ports/Telephony.ts"
import type { CarrierReport, LegEnd } from "../telephony/rules/Leg.ts"
import type { DialCommand } from "../telephony/rules/Dial.ts"
import { CarrierStage, type CarrierTraits, type RefusalKind, type SentCallback } from "./CarrierStage.ts"
import { law } from "./Law.ts"
import { fresh, sampleCall } from "./Samples.ts"
import { World } from "./world/World.ts"

/** One thing that every carrier keeps to; it dies where this one does not. */
export interface CarrierLaw {
  readonly name: string
  readonly holds: Effect.Effect<void, never, Telephony | CarrierStage>
}

const hangUpMs = 30_000
const hour = 3_600_000
const month = 30 * 24 * hour

const commandFor = (to_number: string): DialCommand => ({
  execution_id: fresh("exec_"),
  organization_id: "org_carriers",
  agent_id: "agt_carriers",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number,
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
})

/** The carrier and its far end; an answer that the port does not know fails the test. */
const tested = Effect.gen(function* () {
  const carrier = yield* Telephony
  const stage = yield* CarrierStage
  return {
    ...stage,
    dial: (command: DialCommand) => Effect.tap(carrier.dial(command), (said) => Effect.orDie(checkedOutcome(said))),
    hangup: (id: string, sid: string | null) =>
      Effect.tap(carrier.hangup(id, sid), (said) => Effect.orDie(checkedHangup(said))),
    find: (id: string) => Effect.tap(carrier.find(id), (said) => Effect.orDie(checkedFinding(said))),
  }
})

type Tested = Effect.Success<typeof tested>

/** A leg that somebody dialled and heard of. */
const accepted = Effect.fnUntraced(function* (on: Tested, to_number: string) {
  const command = commandFor(to_number)
  const id = command.execution_id
  const said = yield* on.dial(command)
  assert(said._tag === "Accepted", `${to_number} was answered ${said._tag}`)
  assert.strictEqual(yield* on.legs(id), 1)
  return { command, id, sid: said.call_sid }
})

const live = Effect.fnUntraced(function* (on: Tested, id: string, phase: "ringing" | "answered") {
  const found = yield* on.find(id)
  assert(found._tag === "Live", `a leg that is ${phase} was found ${found._tag}`)
  assert.strictEqual(found.phase, phase)
  return found
})

const over = Effect.fnUntraced(function* (on: Tested, id: string) {
  const found = yield* on.find(id)
  assert(found._tag === "Ended", `a leg that is over was found ${found._tag}`)
  return found
})

/** A carrier need not have an id of its own at once, but it has no second one. */
const sameSid = (one: string | null, other: string | null): void => {
  if (one !== null && other !== null) assert.strictEqual(one, other)
}

/** What a leg's reports say of its end must be what the carrier says when it is asked. */
const endsAsReported = (reports: ReadonlyArray<CarrierReport>, end: LegEnd): void => {
  const ends = reports.filter((report) => report.type === "ended" || report.type === "final")
  assert.isNotEmpty(ends, "the end was not reported")
  for (const report of ends) assert.strictEqual(report.end.status, end.status)
}

const foundAtEachPhase = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const { id, sid } = yield* accepted(on, numbers.completed)
    // A carrier's books may be a moment behind its answer.
    assert.include(["Live", "Unknown", "NoAnswer"], (yield* on.find(id))._tag)
    for (const phase of ["ringing", "answered"] as const) {
      yield* on.reach(id, phase)
      sameSid((yield* live(on, id, phase)).call_sid, sid)
    }
    yield* on.reach(id, "ended")
    const found = yield* over(on, id)
    sameSid(found.call_sid, sid)
    assert.strictEqual(found.end.status, "completed")
    assert.strictEqual(yield* on.legs(id), 1)
  })

const foundForEver = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const { id, sid } = yield* accepted(on, numbers.completed)
    yield* on.reach(id, "ended")
    // The last facts may come a while after the end.
    yield* on.pass(hour)
    const found = yield* over(on, id)
    yield* on.pass(month)
    assert.deepStrictEqual(yield* on.find(id), found)
    for (const known of [sid, null]) {
      yield* on.hangup(id, known)
      yield* on.pass(hangUpMs)
      assert.deepStrictEqual(yield* on.find(id), found, "a hang-up changed a leg that is over")
    }
    assert.strictEqual(yield* on.legs(id), 1)
  })

const foundAfterLostAnswer = ({ numbers, onePerId }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const command = commandFor(numbers.unheard)
    const id = command.execution_id
    assert.include(["Unknown", "Accepted"], (yield* on.dial(command))._tag)
    assert.include(["Live", "Unknown", "NoAnswer"], (yield* on.find(id))._tag)
    if (onePerId) yield* Effect.all([on.dial(command), on.dial(command)], { concurrency: 2 })
    assert.strictEqual(yield* on.legs(id), 1)
    yield* on.reach(id, "answered")
    const found = yield* live(on, id, "answered")
    yield* on.hangup(id, found.call_sid)
    yield* on.pass(hangUpMs)
    const { end } = yield* over(on, id)
    if (onePerId) yield* on.dial(command)
    yield* on.pass(hour)
    assert.strictEqual(yield* on.legs(id), 1)
    assert.strictEqual((yield* over(on, id)).end.status, end.status)
  })

const refusedForGood = (kind: RefusalKind, to_number: string) =>
  Effect.gen(function* () {
    const on = yield* tested
    const command = commandFor(to_number)
    const said = yield* on.dial(command)
    assert.deepInclude(said, { _tag: "Refused", kind })
    yield* on.pass(hour)
    assert.strictEqual(yield* on.legs(command.execution_id), 0, "a dial that was refused made a leg")
    assert.include(["Unknown", "NeverDialled", "NoAnswer"], (yield* on.find(command.execution_id))._tag)
    assert.deepStrictEqual(yield* on.reported(command.execution_id), [])
  })

const neverDialled = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const command = commandFor(numbers.completed)
    const id = command.execution_id
    yield* on.hangup(id, null)
    const { _tag } = yield* on.find(id)
    assert.include(["Unknown", "NeverDialled", "NoAnswer"], _tag)
    assert.strictEqual(yield* on.legs(id), 0)
    // The dial that was on its way when the question came.
    const said = yield* on.dial(command)
    yield* on.pass(hour)
    assert.strictEqual(said._tag, _tag === "NeverDialled" ? "Refused" : "Accepted")
    assert.strictEqual(yield* on.legs(id), _tag === "NeverDialled" ? 0 : 1)
  })

const sampleAt = Date.UTC(2026, 0, 5, 9)

/** How far a call may be whose leg another carrier has: all that its row can say of it. */
const strangers: ReadonlyArray<Partial<Call>> = [
  { status: "initiated" },
  { status: "in-progress", ringing_at: sampleAt, answered_at: sampleAt },
  { status: "completed", answered_at: sampleAt, completed_at: sampleAt + hour, duration_seconds: 3_600 },
  { status: "busy", completed_at: sampleAt, duration_seconds: 0, hangup_reason: "dial_busy" },
]

/** Ids as vendors form them. The first is of a vendor that no carrier under test has; the others may be of its own vendor, by another account. */
const foreignSids = (): readonly [string, ...ReadonlyArray<string>] => {
  const hex = (fresh("") + fresh("")).slice(0, 32)
  return [`leg/${hex}`, `CA${hex}`, `v3:${hex}`, `SCL_${hex}`]
}

const notMine = Effect.gen(function* () {
  const on = yield* tested
  for (const row of strangers) {
    const [another, ...accounts] = foreignSids()
    // What is over, and known by this vendor's form of an id alone, may be told again as it stands.
    for (const call_sid of row.completed_at === undefined ? [another, ...accounts] : [another]) {
      const call = sampleCall("org_carriers", { ...row, dial: "accepted", call_sid })
      const { execution_id } = call
      yield* on.keepRow?.(call) ?? Effect.void
      const say = (found: string) => `of another carrier's leg (${call.status}, ${call_sid}) it says ${found}`
      const { _tag } = yield* on.find(execution_id)
      assert.include(["Unknown", "NeverDialled"], _tag, say(_tag))
      yield* on.hangup(execution_id, call_sid)
      yield* on.pass(hour)
      const later = yield* on.find(execution_id)
      assert.include(["Unknown", "NeverDialled"], later._tag, say(later._tag))
      assert.deepStrictEqual(yield* on.reported(execution_id), [])
      assert.strictEqual(yield* on.legs(execution_id), 0)
    }
  }
})

const toldApart = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const first = yield* accepted(on, numbers.talking)
    const second = yield* accepted(on, numbers.talking)
    if (first.sid !== null) assert.notStrictEqual(first.sid, second.sid)
    yield* on.reach(first.id, "answered")
    yield* on.reach(second.id, "answered")
    assert.strictEqual(yield* on.hangup(first.id, first.sid), "Sent")
    yield* on.pass(hangUpMs)
    yield* over(on, first.id)
    yield* live(on, second.id, "answered")
    yield* on.hangup(second.id, second.sid)
    yield* on.pass(hangUpMs)
    yield* over(on, second.id)
  })

const hungUp = ({ numbers }: CarrierTraits, phase: "initiated" | "ringing" | "answered") =>
  Effect.gen(function* () {
    const on = yield* tested
    for (const bySid of [true, false]) {
      const { id, sid } = yield* accepted(on, numbers.talking)
      if (phase !== "initiated") yield* on.reach(id, phase)
      assert.strictEqual(yield* on.hangup(id, bySid ? sid : null), "Sent")
      yield* on.hangup(id, bySid ? sid : null)
      yield* on.pass(hangUpMs)
      yield* over(on, id)
      yield* on.pass(hour)
      const { end } = yield* over(on, id)
      endsAsReported(yield* on.reported(id), end)
    }
  })

/** The reports of a leg that ended by itself, and how the carrier says that it ended. */
const reportedLeg = Effect.fnUntraced(function* (to_number: string) {
  const on = yield* tested
  const { id, sid } = yield* accepted(on, to_number)
  yield* on.reach(id, "ended")
  yield* on.pass(hour)
  const reports = yield* on.reported(id)
  for (const report of reports) {
    yield* Effect.orDie(checkedReport(report))
    assert.strictEqual(report.execution_id, id)
    sameSid(report.call_sid, sid)
  }
  const { end } = yield* over(on, id)
  endsAsReported(reports, end)
  return { end, reports }
})

const endsAs = (status: LegEnd["status"], to_number: string) =>
  Effect.map(reportedLeg(to_number), ({ end }) => assert.strictEqual(end.status, status))

/** Every report once, any of them again, in any order. */
const disordered = (reports: ReadonlyArray<CarrierReport>): fc.Arbitrary<ReadonlyArray<CarrierReport>> =>
  fc
    .subarray([...reports])
    .chain((again) => fc.shuffledSubarray([...reports, ...again], { minLength: reports.length + again.length }))

/** A call in an engine of its own, whose carrier says nothing by itself. */
const silentCall = Effect.gen(function* () {
  const world = new World({ script: () => ({ reports: [] }) })
  yield* world.start()
  const { call } = yield* world.placed()
  const { report } = world.service(Engine)
  const id = call.execution_id
  return {
    report: (told: CarrierReport) => Effect.orDie(report({ ...told, execution_id: id })),
    call: () => world.call(id),
  }
})

const inAnyOrder = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const { end, reports } = yield* reportedLeg(numbers.completed)
    // A correction means what came before it, and a recovered leg goes on under another id.
    const orderless = reports.filter(({ type }) => type !== "corrected" && type !== "recovered")
    yield* law(
      disordered(orderless),
      Effect.fnUntraced(function* (told) {
        const { call, report } = yield* silentCall
        for (const one of told) yield* report(one)
        const { duration_seconds, hangup_reason, status } = call()
        assert.deepStrictEqual(
          { duration_seconds, hangup_reason, status },
          { duration_seconds: end.duration_seconds, hangup_reason: end.hangup_reason, status: end.status },
        )
        for (const one of told) {
          yield* report(one)
          assert.strictEqual(call().status, status, `${one.type} brought back a call that is over`)
        }
      }, Effect.scoped),
      { numRuns: 20 },
    )
  })

/** What somebody may send who has seen a callback and has no key: its text changed, its signature left out, or that of another one. */
const forgeriesOf = (genuine: SentCallback, another: SentCallback): ReadonlyArray<SentCallback> => [
  { ...genuine, body: `${genuine.body} ` },
  { ...genuine, headers: { "content-type": genuine.headers["content-type"] ?? "" } },
  ...(another.body === genuine.body ? [] : [{ ...genuine, headers: another.headers }]),
]

const refusedStatuses = [400, 401, 403]

const signedByVendor = ({ numbers }: CarrierTraits) =>
  Effect.gen(function* () {
    const on = yield* tested
    const { callbacks } = on
    if (callbacks === undefined) return
    const earlier = callbacks.sent().length
    const taken = (callback: SentCallback) => Effect.promise(() => callbacks.take(callback))
    const { id } = yield* accepted(on, numbers.completed)
    yield* on.reach(id, "ended")
    const genuine = callbacks.sent().slice(earlier)
    assert.isNotEmpty(genuine, "no callback came")
    const told = yield* on.reported(id)
    const found = yield* over(on, id)
    for (const [nth, one] of genuine.entries()) {
      const another = genuine[(nth + 1) % genuine.length] ?? one
      for (const forged of forgeriesOf(one, another)) {
        assert.include(refusedStatuses, yield* taken(forged), "a forged callback was taken")
      }
    }
    assert.deepStrictEqual(yield* on.reported(id), told, "a forged callback was reported")
    const { call, report } = yield* Effect.orDie(silentCall)
    for (const one of told) yield* report(one)
    const known = call()
    for (const again of callbacks.sent().slice(earlier)) {
      assert.isBelow(yield* taken(again), 500, "a callback that came again was not taken")
    }
    for (const one of (yield* on.reported(id)).slice(told.length)) yield* report(one)
    const facts = ({ answered_by_voicemail, cost, duration_seconds, hangup_by, status }: Call) => ({
      answered_by_voicemail,
      cost,
      duration_seconds,
      hangup_by,
      status,
    })
    assert.deepStrictEqual(facts(call()), facts(known), "a callback that came again changed the call")
    yield* on.pass(hour)
    for (const old of callbacks.sent().slice(earlier)) {
      assert.isBelow(yield* taken(old), 500, "a callback of an hour ago was not answered")
    }
    assert.strictEqual((yield* over(on, id)).end.status, found.end.status)
  }).pipe(Effect.scoped)

const entries = <K extends string>(of: { readonly [key in K]?: string } = {}): ReadonlyArray<readonly [K, string]> => {
  const all: Array<readonly [K, string]> = []
  for (const key in of) {
    const number = of[key]
    if (number !== undefined) all.push([key, number])
  }
  return all
}

/** Every law that a carrier with these traits keeps. */
export const carrierLaws = (traits: CarrierTraits): ReadonlyArray<CarrierLaw> => [
  { name: "an accepted dial is one leg, found under its id at each phase", holds: foundAtEachPhase(traits) },
  { name: "a leg that is over is found for ever, and no hang-up changes it", holds: foundForEver(traits) },
  {
    name: traits.onePerId
      ? "a dial whose answer gets lost is one leg and is found, however often it is repeated"
      : "a dial whose answer gets lost is one leg and is found",
    holds: foundAfterLostAnswer(traits),
  },
  ...entries(traits.numbers.refused).map(([kind, number]) => ({
    name: `a dial that is refused as ${kind} makes no leg, then or later`,
    holds: refusedForGood(kind, number),
  })),
  {
    name: "an id that was not dialled has no leg; once it was never dialled, a dial that comes late is refused",
    holds: neverDialled(traits),
  },
  { name: "the row of another carrier is not its own: of that leg it knows nothing", holds: notMine },
  { name: "two legs to one number are not taken for one another", holds: toldApart(traits) },
  ...(["initiated", "ringing", "answered"] as const).map((phase) => ({
    name: `a hang-up ends a leg that is ${phase}, with the carrier's id or without`,
    holds: hungUp(traits, phase),
  })),
  ...[["completed", traits.numbers.completed] as const, ...entries(traits.numbers.ends)].map(([status, number]) => ({
    name: `a leg that ends ${status} is reported so and found so`,
    holds: endsAs(status, number),
  })),
  { name: "a forged callback is refused, and one that comes again changes nothing", holds: signedByVendor(traits) },
  { name: "its reports end a call alike, late, doubled and in any order", holds: inAnyOrder(traits) },
]
