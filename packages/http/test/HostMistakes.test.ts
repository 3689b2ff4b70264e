import { InvalidField, type OrganizationChanges, promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Layer } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { EngineClosed } from "../src/EngineClosed.ts"
import { nodeWebhookTransport } from "../src/webhooks.ts"

const carrier = {
  dial: async () => ({ _tag: "Accepted", call_sid: null }) as const,
  hangup: async () => "Sent" as const,
  find: async () => ({ _tag: "NoAnswer" }) as const,
}
const carillon = await Carillon.inMemory({ carrier })
afterAll(() => carillon.close())

const number = "+12125550100"
const wallet = { balance: 5, currency: "USD" }
const ceilings = { organization: 2, per_agent: null, enforced: true }

/** The field that a refusal names; what is taken, or refused in another way, names none. */
const refused = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "taken",
    (error: unknown) => (error instanceof InvalidField ? error.field : `not typed: ${String(error)}`),
  )

/** What no compiler would let pass, as a host in JavaScript writes it. */
const wrong = (value: unknown) => value as never

describe("a host's mistakes are named by their field, and nothing is written", () => {
  const both: ReadonlyArray<readonly [field: string, value: object]> = [
    ["name", { name: 7 }],
    ["plan", { plan: 7 }],
    ["wallet", { wallet: 5 }],
    ["wallet.balance", { wallet: { ...wallet, balance: Number.NaN } }],
    ["wallet.balance", { wallet: { ...wallet, balance: Infinity } }],
    ["wallet.balance", { wallet: { ...wallet, balance: "5" } }],
    ["wallet.currency", { wallet: { balance: 5 } }],
    ["wallet.currency", { wallet: { ...wallet, currency: "" } }],
    ["concurrency.organization", { concurrency: { ...ceilings, organization: -1 } }],
    ["concurrency.organization", { concurrency: { ...ceilings, organization: 1.5 } }],
    ["concurrency.per_agent", { concurrency: { ...ceilings, per_agent: Number.NaN } }],
    ["concurrency.enforced", { concurrency: { ...ceilings, enforced: "yes" } }],
    ["webhook_secret", { webhook_secret: 5 }],
    ["retention_days", { retention_days: 0.5 }],
  ]

  it.each([
    ...both,
    ["name", { name: undefined }],
    ["phone_numbers", { phone_numbers: number }],
    ["phone_numbers[0]", { phone_numbers: ["hello"] }],
    ["phone_numbers[1]", { phone_numbers: [number, number] }],
  ] as const)("open: %s of %o", async (field, value) => {
    const before = await carillon.organizations.list()
    assert.strictEqual(await refused(carillon.organizations.open(wrong({ name: "Acme", ...value }))), field)
    assert.deepStrictEqual(await carillon.organizations.list(), before)
  })

  it.each([
    ...both,
    ["", null],
    ["concurrency.per_agent", { concurrency: { organization: 5, enforced: true } }],
    ["changes", () => Promise.resolve({ name: "Later" })],
  ] as const)("change: %s of %o", async (field, value) => {
    const { organization } = await carillon.organizations.open({ name: "Acme", wallet, concurrency: ceilings })
    const id = organization.organization_id
    assert.strictEqual(await refused(carillon.organizations.change(id, wrong(value))), field)
    assert.deepStrictEqual(await carillon.organizations.find(id), organization)
  })

  it("change: what a host may not change stays, and so does what it leaves undefined", async () => {
    const { organization } = await carillon.organizations.open({ name: "Acme", wallet })
    const id = organization.organization_id
    const changes: OrganizationChanges = wrong({
      name: "New",
      wallet: undefined,
      organization_id: "org_x",
      revision: 9,
    })
    assert.deepStrictEqual(await carillon.organizations.change(id, changes), {
      ...organization,
      name: "New",
      revision: organization.revision + 1,
    })
  })

  it("the name of a key, and a call that arrives", async () => {
    const { organization } = await carillon.organizations.open({ name: "Acme", phone_numbers: [number] })
    const { organization_id } = organization
    const call = { organization_id, agent_id: null, from_number: "+12125550101", to_number: number, call_sid: null }
    const seen = [
      await refused(carillon.organizations.giveKey(organization_id, wrong(undefined))),
      await refused(carillon.arrive(wrong(undefined))),
      await refused(carillon.arrive(wrong({ ...call, organization_id: undefined }))),
      await refused(carillon.arrive(wrong({ ...call, from_number: 5 }))),
    ]
    assert.deepStrictEqual(seen, ["name", "", "organization_id", "from_number"])
  })
})

describe("an engine that cannot be meant does not start", () => {
  it("names the function that a carrier lacks", async () => {
    const { find: _, ...lacking } = carrier
    const started = Carillon.inMemory({ carrier: wrong(lacking) })
    const fault: unknown = await started.catch((error: unknown) => error)
    assert.instanceOf(fault, TypeError)
    assert.include(String(fault), "find")
  })

  it.each([undefined, null, {}])("says that %o are no ports", async (ports) => {
    const fault: unknown = await Carillon.make({ ports: wrong(ports) }).catch((error: unknown) => error)
    assert.strictEqual(String(fault), "TypeError: `ports` is not a layer.")
  })
})

it("a closed engine rejects whatever it is asked for, with an error of its own", async () => {
  const ports = Layer.mergeAll(
    MemorySlots.layer(),
    MemoryRates.layer(),
    promiseCarrier(carrier),
    nodeWebhookTransport(),
  ).pipe(Layer.provideMerge(MemoryStore.layer(new MemoryTables())))
  const closed = await Carillon.make({ ports })
  await closed.close()
  const report = { execution_id: "exec_1", at: 1, call_sid: null, type: "ringing" } as const
  for (const asked of [
    () => closed.report(report),
    () => closed.organizations.open({ name: "Acme" }),
    () => closed.organizations.list(),
    () => closed.dialling.hold("Late"),
  ]) {
    assert.instanceOf(await asked().catch((error: unknown) => error), EngineClosed)
  }
  assert.deepStrictEqual(closed.liveness(), { alive: true, driver: null })
  assert.isFalse((await closed.readiness()).ready)
  await closed.close()
})
