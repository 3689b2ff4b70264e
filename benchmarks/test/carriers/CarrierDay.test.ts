import { expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { carrierDay } from "../../carriers/CarrierDay.ts"

/** Three engines are started one after another, and what a dead one held comes back after its lease: on a busy machine that takes a while. */
const timeout = 600_000
const postgres = await startPostgres()

// A thousand contacts, and the other carriers, are `npm run soak:carriers`.
if (typeof postgres === "string") it(`cannot be run: a campaign at a carrier (${postgres})`, ({ skip }) => skip())
else {
  it(
    "a campaign at a carrier whose words get lost, on an engine that is killed twice, loses and repeats nothing",
    { timeout },
    async () => {
      try {
        const outcome = await carrierDay({
          carrier: "twilio",
          contacts: 24,
          seed: "small",
          share: 0.05,
          lines: 12,
          postgres: postgres.url(),
          maxMs: timeout / 2,
          say: () => undefined,
        })
        expect(outcome.faults).toEqual([])
        expect(outcome.complaints).toEqual([])
        expect(outcome.liveAtKill).toHaveLength(2)
        expect(outcome.left.legs.length).toBeGreaterThan(24)
      } finally {
        await postgres.stop()
      }
    },
  )
}
