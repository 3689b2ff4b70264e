import { readFileSync } from "node:fs"
import { Dialling, Organizations } from "@carillon/core"
import { AccountStore } from "@carillon/core/ports"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { RedisServer } from "../../scripts/servers/RedisServer.ts"
import { start } from "../examples/fleet.ts"
import { release } from "../examples/release.ts"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const postgres = await startPostgres()
const redis = await RedisServer.open()

afterAll(async () => {
  if (typeof postgres !== "string") await postgres.stop()
  await redis?.close()
})

describe("the example of several processes", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/production.md"), text("docs/examples/fleet.ts"))
  })

  it("is two engines on one PostgreSQL and one Redis: what one opens the other finds, and what one holds the other does not dial", async ({
    skip,
  }) => {
    if (typeof postgres === "string" || redis === null) return skip("cannot be run: PostgreSQL or Redis cannot be had")
    const [first, second] = await Promise.all([start(postgres.url(), redis.url), start(postgres.url(), redis.url)])
    const { organization } = await first.run(
      Effect.flatMap(Organizations, (organizations) =>
        organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
      ),
    )
    const found = Effect.flatMap(AccountStore, (accounts) => accounts.organization(organization.organization_id))
    assert.deepStrictEqual(await second.run(found), organization)
    const hold = await first.run(Effect.flatMap(Dialling, (dialling) => dialling.hold("Looking at the carrier.")))
    assert.deepStrictEqual((await second.run(Effect.flatMap(AccountStore, ({ platform }) => platform)))?.hold, hold)
    assert.deepStrictEqual(await release(second), hold)
    await Promise.all([first.close(), second.close()])
  })
})
