import { AuditTrail, type Call, Explainer, promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { webHandler } from "../src/web.ts"
import { nodeWebhookTransport } from "../src/webhooks.ts"

const carrier = promiseCarrier({
  dial: async () => ({ _tag: "Accepted", call_sid: null }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

const carillon = await Carillon.inMemory({ carrier })
afterAll(() => carillon.close())

const ask = async (key: string, method: string, path: string, body?: object, engine = carillon) => {
  const response = await webHandler(engine.handle)(
    new Request(`http://engine/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  const answer: unknown = await response.json()
  return { status: response.status, read: (field: string) => String(Reflect.get(Object(answer), field)) }
}

describe("the host of tenants", () => {
  it("goes through all of them, a page at a time, each once", async () => {
    const opened = await Promise.all(
      ["one", "two", "three", "four"].map((name) => carillon.organizations.open({ name })),
    )
    const ids = opened.map(({ organization }) => organization.organization_id).toSorted()
    for (const limit of [1, 2, 3, 4, 100]) {
      const found: Array<string> = []
      let pages = 0
      for (let after: string | null = null; ;) {
        const page = await carillon.organizations.list(after, limit)
        pages += 1
        found.push(...page.items.map(({ organization_id }) => organization_id))
        if (page.next === null) break
        after = page.next
      }
      assert.deepStrictEqual(found, ids)
      assert.strictEqual(pages, Math.ceil(ids.length / limit))
    }
    for (const limit of [0, 101, 1.5, Number.NaN]) {
      const fault: unknown = await carillon.organizations.list(null, limit).catch((error: unknown) => error)
      assert.strictEqual(Reflect.get(Object(fault), "_tag"), "InvalidField")
    }
  })

  it("changes what it names, by how it stands", async () => {
    const { organization } = await carillon.organizations.open({
      name: "Acme",
      wallet: { balance: 5, currency: "EUR" },
    })
    const topUps = Array.from({ length: 10 }, () =>
      carillon.organizations.change(organization.organization_id, ({ wallet }) => ({
        wallet: { ...wallet, balance: wallet.balance + 1 },
      })),
    )
    await Promise.all(topUps)
    const { lines, numbers, organization: shown } = await carillon.organizations.show(organization.organization_id)
    assert.deepStrictEqual(shown.wallet, { balance: 15, currency: "EUR" })
    assert.deepStrictEqual([numbers, lines.current], [0, 0])
  })

  it("records what it changed by its name, and nothing where nothing changes", async () => {
    const { organization } = await carillon.organizations.open({ name: "Acme", webhook_secret: "whsec_first" })
    const id = organization.organization_id
    const wallet = { balance: 7, currency: "USD" }
    await carillon.organizations.change(id, { wallet, retention_days: 30 })
    await carillon.organizations.change(id, { wallet: { ...wallet } })
    await carillon.organizations.change(id, {})
    await carillon.organizations.change(id, { name: "Acme", webhook_secret: "whsec_second" })
    const trail = await carillon.run(
      Effect.flatMap(AuditTrail, (audit) => audit.page(id, {}, { page: 1, page_size: 10 })),
    )
    const resource = { type: "organization", id }
    const said = trail.items.map(({ action, actor, details, resource }) => [action, actor.type, resource, details])
    assert.deepStrictEqual(said, [
      ["organization.change", "system", resource, { fields: ["webhook_secret"] }],
      ["organization.change", "system", resource, { fields: ["wallet", "retention_days"] }],
    ])
    assert.notInclude(JSON.stringify(trail.items), "whsec_")
  })

  it("gives a key to who has lost all, and revokes any; both are in the audit trail", async () => {
    const { key, organization, record } = await carillon.organizations.open({ name: "Acme" })
    const id = organization.organization_id
    await carillon.organizations.revokeKey(id, record.key_id)
    assert.strictEqual((await ask(key, "GET", "/agents")).status, 401)
    const given = await carillon.organizations.giveKey(id, "Spare")
    assert.strictEqual((await ask(given.key, "GET", "/agents")).status, 200)
    const [first, again] = [record.key_id, record.key_id].map((keyId) => carillon.organizations.revokeKey(id, keyId))
    assert.deepStrictEqual(await first, await again)
    const trail = await carillon.run(
      Effect.flatMap(AuditTrail, (audit) => audit.page(id, {}, { page: 1, page_size: 10 })),
    )
    assert.deepStrictEqual(
      trail.items.map(({ action, actor }) => [action, actor.type]),
      [
        ["api_key.create", "system"],
        ["api_key.revoke", "system"],
      ],
    )
    for (const fault of [
      carillon.organizations.show("org_none"),
      carillon.organizations.giveKey("org_none", "Spare"),
      carillon.organizations.revokeKey(id, "key_none"),
    ]) {
      assert.strictEqual(Reflect.get(Object(await fault.catch((error: unknown) => error)), "_tag"), "NotFound")
    }
  })

  it("is told what a call waits for", async () => {
    const wallet = { balance: 100, currency: "USD" }
    const { key } = await carillon.organizations.open({ name: "Acme", wallet })
    const agent = (await ask(key, "POST", "/agents", { display_name: "Reminder", status: "ACTIVE" })).read("agent_id")
    const call = { agent_id: agent, to_number: "+12125550100" }
    const placed = (await ask(key, "POST", "/calls", call)).read("execution_id")
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const booked = (await ask(key, "POST", "/calls", { ...call, scheduled_at: later })).read("execution_id")
    const waitOf = async (
      id: string,
    ): Promise<readonly [wait: string | undefined, status: Call["status"] | undefined]> => {
      const found = await carillon.run(Effect.flatMap(Explainer, (explainer) => explainer.explainCall(id)))
      return [found?.wait, found?.call.status]
    }
    assert.deepStrictEqual(await waitOf(placed), ["carrier", "queued"])
    assert.deepStrictEqual(await waitOf(booked), ["its_time", "scheduled"])
    assert.deepStrictEqual(await waitOf("exec_none"), [undefined, undefined])
    const at = Date.now()
    const end = {
      status: "busy",
      duration_seconds: null,
      answered_by_voicemail: null,
      hangup_by: null,
      hangup_reason: "dial_busy",
      error: null,
    } as const
    await carillon.report({ execution_id: placed, at, call_sid: null, type: "ringing" })
    await carillon.report({ execution_id: placed, at, call_sid: null, type: "ended", end })
    assert.deepStrictEqual(await waitOf(placed), ["last_word", "busy"])
  })
})

describe("an engine that takes up no work", () => {
  it("serves and changes rows, and leaves what is due to others", async () => {
    const tables = new MemoryTables()
    const start = async (takesWork: boolean) => {
      const dials: Array<string> = []
      const noting = promiseCarrier({
        dial: async ({ to_number }) => {
          dials.push(to_number)
          return { _tag: "Accepted", call_sid: null }
        },
        hangup: async () => "Sent",
        find: async () => ({ _tag: "NoAnswer" }),
      })
      const rows = Layer.mergeAll(MemoryStore.layer(tables), MemorySlots.layer(), MemoryRates.layer())
      const ports = Layer.mergeAll(rows, noting, nodeWebhookTransport())
      return { dials, engine: await Carillon.make({ ports, takesWork }) }
    }
    const idle = await start(false)
    const wallet = { balance: 100, currency: "USD" }
    const number = "+12125550199"
    const { key } = await idle.engine.organizations.open({ name: "Acme", wallet, phone_numbers: [number] })
    const agent = await ask(key, "POST", "/agents", { display_name: "Reminder", status: "ACTIVE" }, idle.engine)
    const contacts = [{ to_number: "+12125550100" }]
    const campaign = { name: "Spring", agent_id: agent.read("agent_id"), phone_numbers: [number], contacts }
    assert.strictEqual((await ask(key, "POST", "/campaigns", campaign, idle.engine)).status, 201)
    const busy = await start(true)
    for (const end = Date.now() + 60_000; busy.dials.length === 0 && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.deepStrictEqual([idle.dials, busy.dials], [[], ["+12125550100"]])
    await Promise.all([idle.engine.close(), busy.engine.close()])
  })
})
