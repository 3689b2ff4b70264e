import { afterAll, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { askedJournal, lifeOf, oddJournal, partings } from "../../soak/TwoStores.ts"
import type { WrittenJournal } from "../../src/journal/Journal.ts"
import { openDurable } from "../../src/storage/Durable.ts"

const server = await startPostgres()

/** Worlds that differ in organizations, hours and what is done to them most. */
const seeds = [2, 5, 6, 8, 9, 12]
const steps = 20

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const database = openDurable(`postgresql://${server.url().replace(/^\w+:\/\//, "")}`)

  afterAll(async () => {
    await (await database)?.close()
    await server.stop()
  })

  const livesOf = async (journal: WrittenJournal) => {
    const durable = await database
    if (durable === null) throw new Error("There is no database.")
    await durable.clear()
    return { memory: await lifeOf(journal, null), stored: await lifeOf(journal, durable) }
  }

  it.for(seeds)("the world of seed %i is one in memory and on PostgreSQL: answers, commits and rows", async (seed) => {
    const { memory, stored } = await livesOf(await askedJournal(seed, steps))
    expect(partings(memory, stored)).toEqual([])
    expect(memory.answers.filter((answer) => answer.startsWith("2")).length).toBeGreaterThan(memory.answers.length / 4)
  })

  it("what is odd in a path, a query or a body is answered alike, and by no 5xx", async () => {
    const { memory, stored } = await livesOf(await oddJournal(3, 20))
    expect(stored.answers.filter((answer) => answer.startsWith("5"))).toEqual([])
    expect(partings(memory, stored)).toEqual([])
  })
}
