import type { Change } from "@carillon/core/ports"
import { expect, test } from "vitest"
import { Client } from "../Client.ts"

/** What is broken in a world that leaves out of its commits what `drops` says, once a call with a subscription has ended in it. */
const brokenBy = async (drops: (change: Change) => boolean): Promise<ReadonlySet<string>> => {
  const client = await Client.start({
    decorate: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        commit: (commit) =>
          ports.store.commit({ ...commit, changes: commit.changes.filter((change) => !drops(change)) }),
      },
    }),
  })
  await client.post("/v2/webhooks", {
    callback_url: "https://box.inbox.test/in",
    event_types: ["call_completed", "all_processing_completed"],
  })
  await client.advance({ by_ms: 120_000 })
  await client.put("/_sim/inbox/box", { statuses: [500, 500, 200] })
  await client.dial("+99900021000000")
  await client.advance({ by_ms: 600_000 })
  return new Set((await client.violations()).map(({ name }) => name))
}

test("holds where deliveries are tried again", async () => {
  expect(await brokenBy(() => false)).toEqual(new Set())
})

test("S13b: an event that never comes into the outbox is seen", async () => {
  const isLost = (change: Change) => change.put === "event" && change.row.event_type === "call_completed"
  expect(await brokenBy(isLost)).toContain("S13b")
})

test("S13b: an event that goes to nobody is seen", async () => {
  expect(await brokenBy((change) => change.put === "delivery")).toContain("S13b")
})
