import { expect, test } from "vitest"
import type { Change, StoragePorts } from "@carillon/core/ports"
import { Client } from "../Client.ts"

/** What a commit that takes a dial back writes besides is changed on its way to the store. */
const writing =
  (of: (change: Change) => Change | null) =>
  (ports: StoragePorts): StoragePorts => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) =>
        ports.store.commit(
          commit.changes.some(({ put }) => put === "erased_call")
            ? { ...commit, changes: commit.changes.flatMap((change) => of(change) ?? []) }
            : commit,
        ),
    },
  })

const unreachable = "+999300000000001"

const plants: ReadonlyArray<
  readonly [what: string, of: (change: Change) => Change | null, broken: ReadonlyArray<string>]
> = [
  ["all as it is", (change) => change, []],
  ["the batch is not told", (change) => (change.put === "batch" ? null : change), ["L7"]],
  [
    "the contact keeps the call",
    (change) =>
      change.put === "contact" ? { ...change, row: { ...change.row, last_execution_id: "exec_gone" } } : change,
    ["L7"],
  ],
]

test.each(plants)("a dial is taken back: %s", async (_, of, broken) => {
  const client = await Client.start({ decorate: writing(of) })
  const { agent_id } = client.simulator.info
  await client.post("/v2/campaigns", { name: "x", agent_id, contacts: [{ to_number: unreachable }] })
  await client.advance({ by_ms: 1_000 })
  expect([...new Set((await client.violations()).map(({ name }) => name))]).toEqual(broken)
})
