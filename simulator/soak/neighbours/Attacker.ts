import { request } from "node:http"
import { randomBytes } from "node:crypto"
import { connect, createServer, type Socket } from "node:net"
import type { Attack, Known, Needs, Shot } from "./Attack.ts"
import { attacks } from "./Attacks.ts"
import { type Ask, furnish, makeHanging, makeHours, makeMuch } from "./Furnishing.ts"
import type { Tenant } from "./Messages.ts"

/** The noisy tenant, a process of its own; without a key it is a stranger. */

/** How long an attack is waited for, and how long connections are held that never end. */
const patienceMs = 30_000
const heldMs = 400

/** The first order, to make what the attacks are made on. */
interface Preparation {
  readonly port: number
  readonly tenant: Tenant
}

interface Order extends Preparation {
  readonly nth: number
  readonly isStranger: boolean
}

/** A stranger has another key each time, and none of them is one. */
const strangersKey = (): string => `gat_${randomBytes(32).toString("base64url")}`

const authorized = (shot: Shot, { key }: Tenant, isStranger: boolean): Record<string, string> => ({
  authorization: `Bearer ${isStranger ? strangersKey() : key}`,
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
  if (body !== null) socket.resume().write(body.subarray(0, -1))
  return socket
}

/** Takes connections, and answers nothing. */
const hanging = createServer(() => {}).listen(0, "127.0.0.1", () => {
  process.send?.({ endpoint: hangingEndpoint() })
})
const hangingEndpoint = (): string => {
  const address = hanging.address()
  return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

const asTenant =
  (port: number, { key }: Tenant): Ask =>
  async (method, path, body) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`http://127.0.0.1:${port}/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    return answer.json()
  }

let known: Known = { parameters: {}, agents: [] }
const made = new Set<Needs>()

const prepare = async ({ port, tenant }: Preparation): Promise<void> => {
  known = await furnish(asTenant(port, tenant), tenant)
}

/** What there is for an attack; what only some of them need is made when the first one needs it. */
const furnished = async ({ needs }: Attack, port: number, tenant: Tenant): Promise<Known> => {
  if (needs === null || made.has(needs)) return known
  made.add(needs)
  const ask = asTenant(port, tenant)
  if (needs === "much") known = await makeMuch(ask, tenant, known)
  else if (needs === "hours") await makeHours(ask)
  else {
    await makeHanging(ask, tenant, hangingEndpoint())
    known = { ...known, parameters: { ...known.parameters, hanging: hangingEndpoint() } }
  }
  return known
}

const run = async (attack: Attack, { isStranger, port, tenant }: Order) => {
  const { isHeld, parallel, shot } = attack
  const own = await furnished(attack, port, tenant)
  const shots = Array.from({ length: parallel }, (_, nth) => shot(tenant, own, nth))
  const start = performance.now()
  const told = new Map<string, number>()
  if (isHeld) {
    const sockets = shots.map((fired) => hold(port, fired, authorized(fired, tenant, isStranger)))
    await new Promise((resolve) => setTimeout(resolve, heldMs))
    for (const socket of sockets) socket.destroy()
    told.set("held", parallel)
  } else {
    const answers = await Promise.all(shots.map((fired) => send(port, fired, authorized(fired, tenant, isStranger))))
    for (const answer of answers) told.set(answer, (told.get(answer) ?? 0) + 1)
  }
  return { told: [...told].map(([answer, count]) => `${count}×${answer}`).join(" "), tookMs: performance.now() - start }
}

process.on("message", (order: Order | Preparation) => {
  if (!("nth" in order)) return void prepare(order).then(() => process.send?.({ told: "prepared", tookMs: 0 }))
  const attack = attacks[order.nth]
  if (attack === undefined) throw new Error(`There is no attack ${order.nth}.`)
  void run(attack, order).then((done) => process.send?.(done))
})
process.on("disconnect", () => process.exit(0))
