import { type Campaign, CampaignStore, type Commit, LaneStore, Store } from "@carillon/core/ports"
import { sampleCampaign } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Effect, Layer, Redacted } from "effect"
import { assert, it, onTestFinished } from "vitest"
import { startPostgresPair } from "../../../scripts/servers/PostgresServer.ts"
import { Proxy } from "../../../scripts/servers/Proxy.ts"

const organization_id = "org_promoted"

const commitOf = (row: Campaign): Commit => ({
  id: `cmt_${row.revision}`,
  organization_id,
  expect: [],
  changes: [{ put: "campaign", row }],
  wakeups: [],
  events: [],
  audit: [],
})

const testMaxMs = 300_000
const pollMs = 20

it(
  "a process that has seen what a promoted standby lacks is told of every lane",
  { timeout: testMaxMs },
  async ({ skip }) => {
    let line: Proxy | undefined
    const via = async (port: number) => {
      line = await Proxy.open(port)
      return line.port
    }
    const pair = await startPostgresPair({ isSynchronous: false, via })
    if (typeof pair === "string") return skip(`cannot be run: there is no PostgreSQL server (${pair})`)
    const { primary, standby } = pair
    const address = await Proxy.open(primary.port)
    onTestFinished(async () => {
      await address.close()
      await standby.stop()
      await primary.stop()
      await line?.close()
    })
    const url = Redacted.make(`postgres://carillon@127.0.0.1:${address.port}/postgres`)
    const judged = Effect.gen(function* () {
      const services = yield* Layer.build(Postgres.layer({ url, maxConnections: 1 }))
      const store = Context.get(services, Store)
      const changed = (since: number) => Context.get(services, LaneStore).changed(organization_id, since)
      const campaign = sampleCampaign(organization_id)
      const { campaign_id } = campaign
      yield* store.commit(commitOf(campaign))
      const isReceived = Effect.scoped(
        Effect.gen(function* () {
          const readings = yield* Layer.build(Postgres.layer({ url: Redacted.make(standby.url()), maxConnections: 1 }))
          return (yield* Context.get(readings, CampaignStore).find(organization_id, campaign_id)) !== null
        }),
      )
      while (!(yield* Effect.catch(isReceived, () => Effect.succeed(false)))) yield* Effect.sleep(pollMs)
      line?.cut()
      for (let revision = 2; revision <= 20; revision += 1) yield* store.commit(commitOf({ ...campaign, revision }))
      const { sequence } = yield* changed(0)
      assert.deepStrictEqual((yield* changed(sequence)).lanes, [])
      yield* Effect.promise(() => primary.kill())
      yield* Effect.promise(() => standby.promote())
      address.target = standby.port
      const news = yield* Effect.retry(changed(sequence), { times: 100 })
      assert.deepStrictEqual(news.lanes, [campaign_id])
      // From then on it is told as ever.
      assert.deepStrictEqual((yield* changed(news.sequence)).lanes, [])
      yield* store.commit(commitOf({ ...campaign, revision: 2, name: "Changed" }))
      assert.deepStrictEqual((yield* changed(news.sequence)).lanes, [campaign_id])
    })
    await Effect.runPromise(Effect.scoped(judged))
  },
)
