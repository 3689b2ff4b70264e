import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { Schema } from "effect"
import { type Attack, attacks, type Known, type Shot, tomorrow } from "./Attacks.ts"
import type { Tenant } from "./Messages.ts"

/** The noisy tenant, a process of its own; without a key it is a stranger. */

/** How long an attack is waited for, and how long connections are held that never end. */
const patienceMs = 30_000
const heldMs = 400

interface Order {
  readonly nth: number
  readonly port: number
  readonly tenant: Tenant
  readonly isStranger: boolean
}

const authorized = (shot: Shot, { key }: Tenant, isStranger: boolean): Record<string, string> => ({
  authorization: `Bearer ${isStranger ? `gat_${"s".repeat(43)}` : key}`,
  ...shot.headers,
})

const send = (port: number, { body, method, target }: Shot, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path: target,
        headers: { ...headers, "content-length": String(body?.length ?? 0) },
        agent: false,
        timeout: patienceMs,
      },
      (response) => {
        response.resume().on("close", () => resolve(String(response.statusCode)))
      },
    )
    sent.on("timeout", () => sent.destroy(new Error("timeout"))).on("error", (error) => resolve(error.message))
    sent.end(body ?? undefined)
  })

const hold = (port: number, { body, method, target }: Shot, headers: Record<string, string>): Socket => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  const lines = Object.entries({ host: "x", ...headers, "content-length": String(body?.length ?? 0) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`)
  socket.resume().write(body?.subarray(0, -1) ?? "")
  return socket
}

let known: Known | null = null

const readMade = Schema.decodeUnknownSync(
  Schema.Struct({
    campaign_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
    batch_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
    subscription_id: Schema.optionalKey(Schema.String),
    execution_id: Schema.optionalKey(Schema.String),
  }),
)

const ask = async (port: number, tenant: Tenant, path: string, body: object) => {
  const answer = await fetch(`http://127.0.0.1:${port}/v2${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  return readMade(await answer.json())
}

/** What an attacker makes for itself, so that its requests reach what they name. */
const furnish = async (port: number, tenant: Tenant): Promise<Known> => {
  const { agent_id } = tenant
  const campaign = await ask(port, tenant, "/campaigns", { name: "x", agent_id, start_time: tomorrow() })
  const batch = await ask(port, tenant, "/batches", {
    agent_id,
    contacts: [{ to_number: "+15555550100" }],
    scheduled_at: tomorrow(),
  })
  const webhook = await ask(port, tenant, "/webhooks", { callback_url: "https://example.com/hook" })
  const call = await ask(port, tenant, "/calls", { agent_id, to_number: "+15555550100" })
  return {
    campaign_id: campaign.campaign_id ?? "x",
    batch_id: batch.batch_id ?? "x",
    subscription_id: webhook.subscription_id ?? "x",
    execution_id: call.execution_id ?? "x",
  }
}

const run = async ({ isHeld, parallel, shot }: Attack, { isStranger, port, tenant }: Order) => {
  known ??= await furnish(port, tenant)
  const fired = shot(tenant, known)
  const headers = authorized(fired, tenant, isStranger)
  const start = performance.now()
  const told = new Map<string, number>()
  if (isHeld) {
    const sockets = Array.from({ length: parallel }, () => hold(port, fired, headers))
    await new Promise((resolve) => setTimeout(resolve, heldMs))
    for (const socket of sockets) socket.destroy()
    told.set("held", parallel)
  } else {
    const answers = await Promise.all(Array.from({ length: parallel }, () => send(port, fired, headers)))
    for (const answer of answers) told.set(answer, (told.get(answer) ?? 0) + 1)
  }
  return { told: [...told].map(([answer, count]) => `${count}×${answer}`).join(" "), tookMs: performance.now() - start }
}

process.on("message", (order: Order) => {
  const attack = attacks[order.nth]
  if (attack === undefined) throw new Error(`There is no attack ${order.nth}.`)
  void run(attack, order).then((done) => process.send?.(done))
})
process.on("disconnect", () => process.exit(0))
