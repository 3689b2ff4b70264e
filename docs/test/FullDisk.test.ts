import { tmpdir } from "node:os"
import { assert, describe, it, onTestFinished } from "vitest"
import { type PostgresOptions, startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { openSmallDisk } from "../../scripts/servers/SmallDisk.ts"
import { openStage } from "./DrillStage.ts"

const contacts = 1_500
const lines = 16
const callMs = 100
/** How long nobody makes room. */
const fullMs = 5_000
/** Longer than the file takes: nothing here is a matter of time but the end of what hangs. */
const testMaxMs = 600_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A server that has a part of its files on a disk that can be filled, and a campaign on it; or why there is none. */
const openDrill = async (megabytes: number, where: (folder: string) => PostgresOptions) => {
  const disk = openSmallDisk(megabytes)
  if (typeof disk === "string") return `no disk can be mounted: ${disk}`
  onTestFinished(disk.close)
  const told = { log: "" }
  const onLog = (text: string) => void (told.log += text)
  const server = await startPostgres({ durable: true, onLog, ...where(disk.folder) })
  if (typeof server === "string") return `there is no PostgreSQL server (${server})`
  onTestFinished(server.stop)
  const stage = await openStage({ url: server.url(), contacts, lines, callMs })
  await stage.until("a campaign that is under way", () => stage.carrier.rings.length > 5 * lines)
  return { disk, server, stage, told }
}

type Drill = Exclude<Awaited<ReturnType<typeof openDrill>>, string>

/** Waits until PostgreSQL is told of as back, lets everything end, and finds that everybody was rung once and every call is where it was promised. */
const endsWell = async ({ server, stage }: Drill) => {
  const { answers, carrier } = stage
  await stage.until("a customer who is served again", () => answers.at(-1)?.status === 201)
  await stage.until("its line in the log", () => stage.said("PostgreSQL answers again").length > 0)
  assert.isTrue(await stage.isUp())
  await stage.rest()
  const found = await stage.judged(server.url())
  const rung = carrier.rings.map(({ to_number }) => to_number)
  assert.strictEqual(new Set(rung).size, rung.length)
  assert.strictEqual(new Set(found.called).size, found.called.length)
  assert.lengthOf(found.contacts, contacts)
  assert.isTrue(found.contacts.every(({ status }) => status === "completed"))
  const ids = new Set(found.calls.map(({ execution_id }) => execution_id))
  const promised = answers.flatMap(({ execution_id, status }) => (status < 300 ? [String(execution_id)] : []))
  const expected = [...promised, ...carrier.rings.map(({ execution_id }) => execution_id)]
  assert.deepStrictEqual(
    expected.filter((id) => !ids.has(id)),
    [],
  )
  assert.strictEqual(found.paidCalls, found.calls.filter(({ status }) => status === "completed").length)
  assert.isTrue(found.isChainWhole)
}

describe("a disk that is really full", () => {
  it(
    "of the data: commits are refused, reads are answered, and all goes on once there is room",
    { timeout: testMaxMs },
    async ({ skip }) => {
      const drill = await openDrill(80, (folder) => ({ folder, walFolder: tmpdir() }))
      if (typeof drill === "string") return skip(`cannot be run: ${drill}`)
      const { disk, stage, told } = drill
      const { answers, carrier } = stage
      disk.fill()
      const begun = carrier.rings.length
      await stage.until("its line in the log", () => stage.said("PostgreSQL does not answer").length > 0)
      await pause(fullMs)
      assert.include(stage.said("PostgreSQL does not answer")[0]?.text, "(its disk is full, 53100)")
      assert.include(told.log, "No space left on device")
      assert.isFalse(await stage.isUp())
      assert.deepInclude(await stage.carillon.readiness(), { ready: true, store: "ok" })
      assert.strictEqual((await stage.ask("GET", "/calls")).status, 200)
      assert.deepInclude(answers.at(-1), { status: 503, error: 1501 })
      // Only what has room in the pages that are there is still written.
      assert.isBelow(carrier.rings.length - begun, 5 * lines)
      disk.free()
      await endsWell(drill)
    },
  )

  it(
    "of the log of writes: PostgreSQL ends itself, and all goes on once there is room and it is started",
    { timeout: testMaxMs },
    async ({ skip }) => {
      const drill = await openDrill(40, (walFolder) => ({ walFolder }))
      if (typeof drill === "string") return skip(`cannot be run: ${drill}`)
      const { disk, server, stage, told } = drill
      disk.fill()
      // What it has of its log is enough for some hundred calls more.
      await stage.until("its line in the log", () => stage.said("PostgreSQL does not answer").length > 0)
      const begun = stage.carrier.rings.length
      assert.isBelow(begun, contacts)
      await stage.until("the end of the server", () => told.log.includes("database system is shut down"))
      assert.match(told.log, /PANIC: {2}could not write to file "pg_wal\/\S+": No space left on device/)
      assert.deepInclude(await stage.carillon.readiness(), { ready: false, store: "away" })
      assert.isFalse(await stage.isUp())
      assert.strictEqual(stage.carrier.rings.length, begun)
      disk.free()
      await server.start()
      await endsWell(drill)
    },
  )
})
