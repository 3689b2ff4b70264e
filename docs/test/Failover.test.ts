import { limits, promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Layer, Logger, Redacted } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { type PairOptions, type PostgresStandby, startPostgresPair } from "../../scripts/servers/PostgresServer.ts"
import { Proxy } from "../../scripts/servers/Proxy.ts"
import { openStage, rowsOf } from "./DrillStage.ts"

const contacts = 200
const lines = 6
const callMs = 300
/** What notices that the primary is gone, and promotes, takes so long. */
const noticeMs = 1_500
/** Longer than the file takes: nothing here is a matter of time but the end of what hangs. */
const testMaxMs = 600_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A primary with a standby, and the address that processes know: it leads to the primary until it is switched, as that of a balancer or a virtual one does. */
const openPair = async (options: Pick<PairOptions, "isSynchronous" | "via">) => {
  const pair = await startPostgresPair({ durable: true, ...options })
  if (typeof pair === "string") return pair
  const { primary, standby } = pair
  const address = await Proxy.open(primary.port)
  onTestFinished(async () => {
    await address.close()
    await standby.stop()
    await primary.stop()
  })
  const url = `postgres://carillon@127.0.0.1:${address.port}/postgres`
  const stage = await openStage({ url, contacts, lines, callMs })
  return { address, primary, stage, standby }
}

const times = (rung: ReadonlyArray<string>): Array<string> => rung.filter((number, nth) => rung.indexOf(number) !== nth)

describe("a failover to a synchronous standby", () => {
  it(
    "loses nothing that was answered, rings nobody twice, and ends by itself",
    { timeout: testMaxMs },
    async ({ skip }) => {
      const opened = await openPair({ isSynchronous: true })
      if (typeof opened === "string") return skip(`cannot be run: there is no PostgreSQL server (${opened})`)
      const { address, primary, stage, standby } = opened
      const { answers, carrier, carillon } = stage
      await stage.until("a campaign that is under way", () => carrier.rings.length > contacts / 4)
      await primary.kill()
      await pause(noticeMs)
      assert.deepInclude(await carillon.readiness(), { ready: false, store: "away" })
      assert.isFalse(await stage.isUp())
      const rungBefore = carrier.rings.length
      assert.isBelow(rungBefore, contacts)
      await standby.promote()
      address.target = standby.port
      await stage.until("a customer who is served again", () => answers.at(-1)?.status === 201)
      await stage.until("its line in the log", () => stage.said("PostgreSQL answers again").length === 1)
      assert.isTrue((await carillon.readiness()).ready)
      assert.isTrue(await stage.isUp())
      await stage.rest()
      const found = await stage.judged(standby.url())
      // Everybody once, and everything that was answered with success is there.
      const rung = carrier.rings.map(({ to_number }) => to_number)
      assert.deepStrictEqual(times(rung), [])
      assert.deepStrictEqual(times(found.called), [])
      assert.lengthOf(found.contacts, contacts)
      assert.isTrue(found.contacts.every(({ status }) => status === "completed"))
      const ids = new Set(found.calls.map(({ execution_id }) => execution_id))
      const promised = answers.flatMap(({ execution_id, status }) => (status < 300 ? [String(execution_id)] : []))
      assert.deepStrictEqual(
        [...promised, ...carrier.rings.map((ring) => ring.execution_id)].filter((id) => !ids.has(id)),
        [],
      )
      assert.strictEqual(found.paidCalls, found.calls.filter(({ status }) => status === "completed").length)
      assert.isTrue(found.isChainWhole)
      // What customers and operators see.
      const refused = answers.filter(({ status }) => status >= 300)
      assert.isNotEmpty(refused)
      for (const { error, status } of refused)
        assert.deepInclude(
          [
            [503, 1501],
            [504, 1502],
          ],
          [status, error],
        )
      assert.strictEqual(stage.said("PostgreSQL does not answer").length, 1)
      assert.strictEqual(stage.said("PostgreSQL answers again").length, 1)
    },
  )
})

/** Holds dialling on a standby at its own address, before any process that works is led to it. */
const holdOn = async (standby: PostgresStandby) => {
  const nobody = promiseCarrier({
    dial: async () => ({ _tag: "Refused", kind: "unreachable" }),
    hangup: async () => "Refused",
    find: async () => ({ _tag: "NoAnswer" }),
  })
  const rows = Postgres.layer({ url: Redacted.make(standby.url()) })
  const ports = Layer.mergeAll(rows, MemorySlots.layer(), MemoryRates.layer(), nobody, nodeWebhookTransport())
  const operator = await Carillon.make({ ports, takesWork: false, telemetry: Logger.layer([]) })
  await operator.dialling.hold("failover")
  await operator.close()
}

/** A standby that had not received the last commits takes over. Answers with whom these calls rang. */
const losing = async (isHeld: boolean) => {
  let line: Proxy | undefined
  const opened = await openPair({
    isSynchronous: false,
    via: async (port) => {
      line = await Proxy.open(port)
      return line.port
    },
  })
  if (typeof opened === "string") return opened
  const { address, primary, stage, standby } = opened
  onTestFinished(async () => line?.close())
  const { rings } = stage.carrier
  await stage.until("a campaign that is under way", () => rings.length > contacts / 4)
  line?.cut()
  const received = rings.length
  const answered = stage.answers.length
  await stage.until(
    "calls of which the standby does not know",
    () => rings.length > received + contacts / 8 && stage.answers.length > answered + 2,
  )
  await primary.kill()
  await pause(noticeMs)
  const rungBefore = rings.length
  await standby.promote()
  if (isHeld) {
    await holdOn(standby)
    // So long a process goes by what it knew of holds.
    await pause(limits.diallingCacheMs)
  }
  const known = new Set(
    (await rowsOf(standby.url())).changes.flatMap((each) => (each.put === "call" ? [each.row.execution_id] : [])),
  )
  const lost = rings.filter(({ execution_id }) => !known.has(execution_id)).map(({ to_number }) => to_number)
  address.target = standby.port
  return { lost, rungBefore, stage, standby }
}

const isContact = (number: string): boolean => number.startsWith("+1212")

describe("a failover to a standby that has not received the last commits", () => {
  it(
    "rings again whom those calls rang, and nobody else, unless dialling is held",
    { timeout: testMaxMs },
    async ({ skip }) => {
      const drill = await losing(false)
      if (typeof drill === "string") return skip(`cannot be run: there is no PostgreSQL server (${drill})`)
      const { lost, stage, standby } = drill
      const lostContacts = lost.filter(isContact)
      assert.isNotEmpty(lostContacts)
      await stage.until("a customer who is served again", () => stage.answers.at(-1)?.status === 201)
      await stage.rest()
      const found = await stage.judged(standby.url())
      assert.sameMembers(times(stage.carrier.rings.map(({ to_number }) => to_number)), lostContacts)
      // The rows are whole among themselves: each contact has one call there.
      assert.deepStrictEqual(times(found.called), [])
      assert.lengthOf(found.contacts, contacts)
      assert.isTrue(found.isChainWhole)
      // A customer was promised calls that are not there any more.
      const ids = new Set(found.calls.map(({ execution_id }) => execution_id))
      const promised = stage.answers.filter(({ status }) => status === 201)
      const gone = promised.filter(({ execution_id }) => !ids.has(String(execution_id)))
      assert.isNotEmpty(gone)
      assert.isAtMost(gone.length, lost.length - lostContacts.length)
    },
  )

  it(
    "rings nobody twice where dialling is held on it first, and whom the carrier has rung is suppressed",
    { timeout: testMaxMs },
    async ({ skip }) => {
      const drill = await losing(true)
      if (typeof drill === "string") return skip(`cannot be run: there is no PostgreSQL server (${drill})`)
      const { lost, rungBefore, stage, standby } = drill
      const { rings } = stage.carrier
      await stage.until(
        "the hold in the log",
        () => stage.said("Nothing is dialled before it is released: failover").length > 0,
      )
      const read = await stage.ask("GET", `/campaigns/${String(stage.campaign_id)}`)
      assert.strictEqual(read.status, 200)
      assert.deepInclude(stage.answers.at(-1), { status: 503, error: 1501 })
      await stage.rest()
      assert.lengthOf(rings, rungBefore)
      const expires_at = new Date(Date.now() + 24 * 3_600_000).toISOString()
      const suppressed = await stage.ask("POST", "/suppressions", { to_numbers: lost, expires_at, reason: "failover" })
      assert.strictEqual(suppressed.status, 201)
      await stage.carillon.dialling.release()
      const found = await stage.judged(standby.url())
      assert.deepStrictEqual(times(rings.map(({ to_number }) => to_number)), [])
      const skipped = found.contacts.filter(({ status }) => status === "skipped").length
      assert.strictEqual(skipped, lost.filter(isContact).length)
      assert.strictEqual(rings.filter(({ to_number }) => isContact(to_number)).length, contacts)
    },
  )
})
