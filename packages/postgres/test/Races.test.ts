import { rowPorts } from "@carillon/core/ports"
import { Interleavings } from "@carillon/core/testing"
import { clearContents, Postgres, readContents } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Effect, Exit, Layer, References, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const { expectedFailures, named, race } = Interleavings

/** How often each pair races; a long run sets the variable. */
const rounds = Number(process.env["CARILLON_RACE_ROUNDS"] ?? 1)

/** The second starts up to so long after the first: about as long as the first takes. */
const mostDelayMs = 12

/** Pairs of which one decides by what the other changes. */
const chosen: ReadonlyArray<readonly [scene: string, first: string, second: string]> = [
  ["the last call ends", "carrier.speaks", "campaign.append"],
  ["the last report comes", "carrier.speaks", "batch.create in the campaign"],
  ["two legs ring", "campaign.cancel", "campaign.append"],
  ["two legs ring", "batch.stop", "campaign.append"],
  ["a new campaign", "wake-ups", "campaign.pause"],
  ["a new campaign", "wake-ups", "campaign.append the same number"],
  ["one number twice", "carrier.speaks", "wake-ups"],
  ["one number twice, the first busy", "carrier.speaks", "wake-ups"],
  ["its end has come", "wake-ups", "campaign.append"],
  ["cancelled", "campaign.revive", "carrier.speaks"],
  ["completed", "campaign.delete", "campaign.append"],
  ["one line for all", "carrier.speaks", "call.place"],
  ["an account", "organization.open", "number.register for another"],
]

/** Where one contact may be dialled by one agent and another one with its number by another. */
const again = "its number comes again by another agent as a retry is due"

const expected = new Set(expectedFailures.map(({ law }) => law))

/** The rows of a database as races use them. */
const placeOn = async (client: Layer.Layer<SqlClient.SqlClient, unknown>, scope: Scope.Scope) => {
  const layer = Layer.provideMerge(Postgres.layerNoDeps, client)
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return {
    ports: rowPorts(context),
    clear: Effect.orDie(Effect.provideContext(clearContents, context)),
    contents: Effect.orDie(Effect.provideContext(readContents, context)),
  }
}

const scope = Scope.makeUnsafe()
const [embedded, server] = await Promise.all([newPglite(), startPostgres()])

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  embedded.remove()
  if (typeof server !== "string") await server.stop()
})

/** An embedded PostgreSQL has one connection, so less can come between: it races every sixth pair. */
const few = chosen.filter((_, nth) => nth % 6 === 0)

const places = [
  { on: "an embedded PostgreSQL", client: Pglite.layerClient(embedded.directory), raced: few },
  ...(typeof server === "string"
    ? []
    : [{ on: server.version, client: Postgres.layerClient({ url: Redacted.make(server.url()) }), raced: chosen }]),
]

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())

describe.each(places)("two operations at once on $on", ({ client, raced }) => {
  let place: Promise<Interleavings.Place>
  beforeAll(() => {
    place = placeOn(client, scope)
  })
  it.each(raced)("%s: %s and %s break no law", async (scene, first, second) => {
    const { first: ahead, others, scene: where } = named(scene, first, [[second, 0]])
    const [behind] = others
    if (behind === undefined) throw new Error("A race has two sides.")
    for (let round = 0; round < rounds; round++) {
      const delayMs = (chosen.findIndex(([name]) => name === scene) * 5 + round * 7) % mostDelayMs
      const racing = race(await place, { scene: where, first: ahead, second: behind.operation }, { delayMs })
      const violations = await Effect.runPromise(Effect.provideService(racing, References.MinimumLogLevel, "None"))
      expect(
        violations.filter(({ law }) => !expected.has(law)),
        `the second ${delayMs} ms behind the first`,
      ).toEqual([])
    }
  })

  it("a dial is decided anew where another process has begun a call to the number", async () => {
    const { first, others, scene } = named(again, "wake-ups", [["dispatch elsewhere", 0]])
    const [other] = others
    if (other === undefined) throw new Error("A race has two sides.")
    const racing = race(await place, { scene, first, second: other.operation }, { before: "store.admit" })
    expect(await Effect.runPromise(Effect.provideService(racing, References.MinimumLogLevel, "None"))).toEqual([])
  })
})
