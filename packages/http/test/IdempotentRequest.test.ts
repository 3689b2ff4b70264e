import { afterAll, beforeAll, expect, it } from "vitest"
import { agentId, makeWorld, type World } from "./World.ts"

let world: World
beforeAll(async () => {
  world = await makeWorld()
})
afterAll(() => world.close())

let keys = 0
const nextKey = () => `key-${keys++}`

const form = (csv: string, boundary: string) => ({
  headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  bytes: Buffer.from(
    [
      ...[
        ["name", "Spring"],
        ["agent_id", agentId],
      ].map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="list.csv"\r\n\r\n${csv}\r\n`,
      `--${boundary}--\r\n`,
    ].join(""),
  ),
})

const create = async (key: string, { bytes, headers }: ReturnType<typeof form>) => {
  const sent = { ...headers, "idempotency-key": key }
  const answer = await world.send({ method: "POST", target: "/v2/campaigns", headers: sent, bytes })
  return { status: answer.status, replayed: answer.headers["Idempotent-Replayed"] ?? null }
}

const csv = `to_number,note\n${Array.from({ length: 5000 }, (_, row) => `+1555555${1000 + row},aaaaaaaaaaaaaaaaaaaaaaaa`).join("\n")}`

it("takes a form for the same whatever its boundary, and another file for another", async () => {
  const key = nextKey()
  expect(await create(key, form(csv, "one"))).toEqual({ status: 201, replayed: null })
  expect(await create(key, form(csv, "two"))).toEqual({ status: 201, replayed: "true" })
  // One that is part of everything that is sent.
  expect(await create(key, form(csv, "a"))).toEqual({ status: 201, replayed: "true" })
  expect(await create(key, form(`${csv}b`, "one"))).toEqual({ status: 409, replayed: null })
})

it("takes members in another order for the same, and contacts in another order for another", async () => {
  const key = nextKey()
  const contacts = [
    { to_number: "+15555550101", name: "Ada", city: "Oslo" },
    { to_number: "+15555550102", name: "Bob" },
  ]
  const send = async (body: object) => {
    const headers = { "idempotency-key": key }
    const answer = await world.send({ method: "POST", target: "/v2/campaigns", headers, body })
    return [answer.status, answer.headers["Idempotent-Replayed"] ?? null]
  }
  const metadata = { a: [1, { b: 2, c: 3 }], d: null }
  const reversed = { d: null, a: [1, { c: 3, b: 2 }] }
  const turned = contacts.map((contact) => Object.fromEntries(Object.entries(contact).toReversed()))
  expect(await send({ name: "A", agent_id: agentId, contacts, metadata })).toEqual([201, null])
  expect(await send({ metadata: reversed, contacts: turned, agent_id: agentId, name: "A" })).toEqual([201, "true"])
  expect(await send({ name: "A", agent_id: agentId, contacts: contacts.toReversed(), metadata })).toEqual([409, null])
  expect(await send({ name: "A", agent_id: agentId, contacts, metadata: { ...metadata, d: 0 } })).toEqual([409, null])
})

it("adds contacts to a campaign once, also where it has ended since", async () => {
  const campaign = await world.send({ method: "POST", target: "/v2/campaigns", body: { name: "A", agent_id: agentId } })
  const { campaign_id } = campaign.json
  const target = `/v2/campaigns/${String(campaign_id)}/contacts`
  const headers = { "idempotency-key": nextKey() }
  const append = (to_number: string, to = target) =>
    world.send({ method: "POST", target: to, headers, body: { contacts: [{ to_number }] } })
  const first = await append("+15555550103")
  const again = await append("+15555550103")
  expect([first.status, again.status, again.headers["Idempotent-Replayed"]]).toEqual([201, 201, "true"])
  expect(again.json).toEqual(first.json)
  expect((await append("+15555550104")).status).toBe(409)
  await world.send({ method: "POST", target: `/v2/campaigns/${String(campaign_id)}/cancel` })
  expect((await append("+15555550103")).status).toBe(201)
  const { pagination } = (await world.send({ method: "GET", target })).json
  expect(pagination).toMatchObject({ total: 1 })
  const other = await world.send({ method: "POST", target: "/v2/campaigns", body: { name: "B", agent_id: agentId } })
  const elsewhere = `/v2/campaigns/${String(other.json["campaign_id"])}/contacts`
  expect((await append("+15555550103", elsewhere)).status).toBe(409)
})
