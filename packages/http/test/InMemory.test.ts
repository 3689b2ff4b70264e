import { InvalidField, NotFound, type PromiseCarrier, Telephony } from "@carillon/core"
import { AgentStore, WebhookTransport } from "@carillon/core/ports"
import { Effect, Layer, Logger } from "effect"
import { assert, expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { send } from "./World.ts"

/** The port in promises is what is tried here, so it is no scripted carrier. */
const carrier: PromiseCarrier = {
  dial: (call) => Promise.resolve({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Promise.resolve("Sent"),
  find: () => Promise.resolve({ _tag: "NoAnswer" }),
}

const wallet = { balance: 100, currency: "USD" }

const agentOf = async (carillon: Carillon, key: string): Promise<string> => {
  const body = { display_name: "Reminder", status: "ACTIVE" }
  const { json } = await send(carillon.handle, { key, method: "POST", target: "/v2/agents", body })
  return String(json["agent_id"])
}

it("starts with a carrier of three promises, opens an organization, and serves its first key", async () => {
  const carillon = await Carillon.inMemory({ carrier })
  const { key, organization } = await carillon.organizations.open({
    name: "Acme",
    wallet,
    phone_numbers: ["+15551230000"],
  })
  const agent_id = await agentOf(carillon, key)
  const call = { agent_id, to_number: "+15551234567" }
  const placed = await send(carillon.handle, { key, method: "POST", target: "/v2/calls", body: call })
  assert.strictEqual(placed.status, 201)
  const execution_id = String(placed.json["execution_id"])
  assert.strictEqual(
    await carillon.report({ execution_id, at: Date.now(), call_sid: null, type: "ringing" }),
    "applied",
  )
  await expect(
    carillon.report({ execution_id, at: Number.NaN, call_sid: null, type: "ringing" }),
  ).rejects.toBeInstanceOf(InvalidField)

  const { organization_id } = organization
  const inbound = {
    organization_id,
    agent_id,
    from_number: "+15557654321",
    to_number: "+15551230000",
    call_sid: "leg_in",
  }
  assert.strictEqual((await carillon.arrive(inbound)).direction, "inbound")
  await expect(carillon.arrive({ ...inbound, agent_id: "agt_of_nobody" })).rejects.toBeInstanceOf(NotFound)
  await carillon.close()
})

it("changes and finds organizations without Effect", async () => {
  const carillon = await Carillon.inMemory({ carrier })
  const { organization } = await carillon.organizations.open({ name: "Acme" })
  const changed = await carillon.organizations.change(organization.organization_id, { plan: "enterprise" })
  assert.strictEqual(changed.plan, "enterprise")
  assert.deepStrictEqual(await carillon.organizations.find(organization.organization_id), changed)
  assert.isNull(await carillon.organizations.find("org_of_nobody"))
  await expect(carillon.organizations.change("org_of_nobody", {})).rejects.toBeInstanceOf(NotFound)
  await carillon.close()
})

it("holds and releases dialling without Effect", async () => {
  const carillon = await Carillon.inMemory({ carrier, startHeld: true })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet })
  const agent_id = await agentOf(carillon, key)
  const place = () =>
    send(carillon.handle, { key, method: "POST", target: "/v2/calls", body: { agent_id, to_number: "+15551234567" } })
  assert.strictEqual((await place()).status, 503)
  const started = await carillon.dialling.standing()
  assert.deepStrictEqual(await carillon.dialling.release(), started)
  assert.isNull(await carillon.dialling.standing())
  assert.strictEqual((await place()).status, 201)
  assert.strictEqual((await carillon.dialling.hold("By hand.")).reason, "By hand.")
  assert.strictEqual((await place()).status, 503)
  await carillon.close()
})

it("takes a carrier as a layer, which may read rows", async () => {
  // That a layer may ask for rows is what is tried, which the scripted carrier does not.
  const reading = Layer.effect(
    Telephony,
    Effect.gen(function* () {
      const agents = yield* AgentStore
      return {
        dial: (call) =>
          Effect.map(agents.find(call.organization_id, call.agent_id), (agent) => ({
            _tag: "Accepted" as const,
            call_sid: agent?.display_name ?? null,
          })).pipe(Effect.orDie),
        hangup: () => Effect.succeed("Sent"),
        find: () => Effect.succeed({ _tag: "NoAnswer" }),
      }
    }),
  )
  const carillon = await Carillon.inMemory({ carrier: reading })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet })
  const body = { agent_id: await agentOf(carillon, key), to_number: "+15551234567" }
  assert.strictEqual((await send(carillon.handle, { key, method: "POST", target: "/v2/calls", body })).status, 201)
  await carillon.close()
})

it("says once that webhooks have no way out, and sends by the one that it is given", async () => {
  const carillon = await Carillon.inMemory({ carrier })
  const said: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ message }) => void said.push(message))])
  const attempt = Effect.flatMap(WebhookTransport, (transport) => transport.send(Object(null)))
  const twice = Effect.all([attempt, attempt]).pipe(Effect.provide(logger))
  const failed = { _tag: "Failed", error_class: "connect_error" } as const
  assert.deepStrictEqual(await carillon.run(twice), [failed, failed])
  assert.lengthOf(said, 1)
  assert.include(String(said[0]), "Webhooks are not sent")
  await carillon.close()

  const answered = { _tag: "Answered", http_status: 204 } as const
  const webhooks = Layer.succeed(WebhookTransport, { send: () => Effect.succeed(answered) })
  const sending = await Carillon.inMemory({ carrier, webhooks })
  assert.deepStrictEqual(await sending.run(attempt), answered)
  await sending.close()
})
