import { Effect } from "effect"
import { expect, test } from "vitest"
import type { FoundRows, PhoneNumber, RowAsked, StoragePorts } from "@carillon/core/ports"
import { Client } from "../Client.ts"

const none = () => Effect.succeed({ items: [], total: 0 })

/** Nobody finds what calls from a number. */
const forgetful = (ports: StoragePorts): StoragePorts => ({
  ...ports,
  campaigns: { ...ports.campaigns, callsFrom: () => Effect.succeed(false) },
  batches: { ...ports.batches, callsFrom: () => Effect.succeed(false) },
  calls: { ...ports.calls, page: none },
})

const rows = [{ to_number: "+999000200000001" }]

const named = {
  campaign: { path: "/v2/campaigns", body: { name: "x", contacts: rows } },
  batch: { path: "/v2/batches", body: { contacts: rows } },
}

test.each([
  ["campaign", forgetful, ["S18"]],
  ["batch", forgetful, ["S18"]],
  ["campaign", (ports: StoragePorts) => ports, []],
  ["batch", (ports: StoragePorts) => ports, []],
] as const)("a number that a %s names is given up: %o %o", async (what, decorate, broken) => {
  const client = await Client.start({ decorate })
  const { agent_id } = client.simulator.info
  const [number] = (await client.get("/v2/phone-numbers")).body.data
  const { body, path } = named[what]
  await client.post(path, { ...body, agent_id, phone_numbers: [number?.phone_number] })
  await client.send("DELETE", `/v2/phone-numbers/${number?.phone_number_id}`)
  expect((await client.violations()).map(({ name }) => name)).toEqual(broken)
})

const isOfNumber = (asked: RowAsked): asked is RowAsked<"phone_number"> => asked.kind === "phone_number"

/** What an agent answers, the engine does not see, or what is given up meanwhile it still sees. */
const blind =
  (what: "binding" | "number") =>
  (ports: StoragePorts): StoragePorts => {
    const known = new Map<string, PhoneNumber>()
    const remembered = (asked: ReadonlyArray<RowAsked>, found: FoundRows) => {
      for (const one of asked) {
        if (!isOfNumber(one) || !("id" in one)) continue
        const number = found.of(one) ?? known.get(one.id)
        if (number === undefined) continue
        known.set(one.id, number)
        found.add(one, number)
      }
      return found
    }
    const { commit, rows } = ports.store
    return {
      ...ports,
      store: {
        ...ports.store,
        rows: (asked) =>
          what === "binding"
            ? rows(asked.filter(({ kind }) => kind !== "inbound_agent"))
            : Effect.map(rows(asked), (found) => remembered(asked, found)),
        commit: (one) => commit({ ...one, expect: [] }),
      },
    }
  }

test.each([
  ["a number that an agent answers is given up", "bind first", blind("binding"), ["S20"]],
  ["an agent answers a number that was given up", "bind later", blind("number"), ["S20"]],
  ["a number that an agent answers is given up with its binding", "bind first", (ports: StoragePorts) => ports, []],
  ["nobody answers a number that was given up", "bind later", (ports: StoragePorts) => ports, []],
] as const)("S20: %s", async (_, order, decorate, broken) => {
  const client = await Client.start({ decorate })
  const { agent_id } = client.simulator.info
  const [number] = (await client.get("/v2/phone-numbers")).body.data
  const id = number?.phone_number_id
  const bind = () => client.post("/v2/inbound-agents", { agent_id, phone_number_id: id })
  if (order === "bind first") await bind()
  else await client.get(`/v2/phone-numbers/${String(id)}`)
  await client.send("DELETE", `/v2/phone-numbers/${id}`)
  if (order === "bind later") await bind()
  expect((await client.violations()).map(({ name }) => name)).toEqual(broken)
})
