import { Agents, Campaigns, Dialling, Keys, Organizations, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { release } from "../examples/release.ts"

const server = await startPostgres()

const contacts = 30
const pollMs = 20

const numberOf = (nth: number): string => `+1555${5_550_000 + nth}`

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())

  /** A carrier takes every dial and says nothing more, so that whoever was rung stays on the line. */
  const start = async (database: string, rung: Array<string>): Promise<Carillon> =>
    Carillon.make({
      ports: Layer.mergeAll(
        Postgres.layer({ url: Redacted.make(server.url(database)) }),
        MemorySlots.layer(),
        MemoryRates.layer(),
        nodeWebhookTransport(),
        Layer.succeed(Telephony, {
          dial: ({ to_number }) =>
            Effect.sync(() => {
              rung.push(to_number)
              return { _tag: "Accepted", call_sid: null }
            }),
          hangup: () => Effect.succeed("Sent"),
          find: () => Effect.succeed({ _tag: "NoAnswer" }),
        }),
      ),
    })

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, pollMs))
  }

  const copied = (from: string, to: string) =>
    Effect.runPromise(
      Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`create database ${to} template ${from}`)),
        Postgres.layerClient({ url: Redacted.make(server.url()) }),
      ),
    )

  it("who was rung after the backup is not rung again from the restored rows before they are released", async () => {
    await copied("template1", "original")
    const paused = await start("original", [])
    const campaign = await paused.run(
      Effect.gen(function* () {
        const tenant = yield* (yield* Organizations).open({
          name: "Acme",
          wallet: { balance: 100, currency: "USD" },
          concurrency: { organization: 100, per_agent: 100 },
        })
        const key = yield* (yield* Keys).authenticate(tenant.key)
        assert(key !== null)
        const caller = { organization_id: tenant.organization.organization_id, request_id: "req_1", key }
        const { agent } = yield* (yield* Agents).create(caller, { display_name: "Reminder", status: "ACTIVE" })
        const campaigns = yield* Campaigns
        const entries = Array.from({ length: contacts }, (_, nth) => ({ to_number: numberOf(nth), variables: {} }))
        const soon = Date.now() + 24 * 3_600_000
        const { campaign_id } = yield* campaigns.create(
          caller,
          { name: "Reminders", agent_id: agent.agent_id, start_time: soon },
          { contacts: entries, file_name: null },
        )
        return { caller, campaign_id }
      }),
    )
    await paused.close()
    await copied("original", "backup")

    const begin = (carillon: Carillon) =>
      carillon.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.patch(campaign.caller, campaign.campaign_id, { start_time: null }),
        ),
      )
    const rung: Array<string> = []
    const original = await start("original", rung)
    await begin(original)
    await until(() => rung.length === contacts)
    await original.close()

    const rungAgain: Array<string> = []
    const restored = await start("backup", rungAgain)
    await begin(restored)
    const explained = await restored.run(
      Effect.flatMap(Campaigns, (campaigns) =>
        campaigns.explain(campaign.caller.organization_id, campaign.campaign_id),
      ),
    )
    assert.deepStrictEqual(explained.blocking, [{ reason: "carrier", contacts, until: null }])
    assert.isNotNull(await restored.run(Effect.flatMap(Dialling, (dialling) => dialling.standing)))
    assert.deepStrictEqual(rungAgain, [])
    await release(restored)
    await begin(restored)
    await until(() => rungAgain.length === contacts)
    assert.sameMembers(rungAgain, rung)
    await restored.close()
  })
}
