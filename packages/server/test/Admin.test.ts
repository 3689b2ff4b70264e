import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CampaignStore } from "@carillon/core/ports"
import { Carillon } from "@carillon/http"
import { Effect } from "effect"
import { afterAll, assert, describe, expect, it } from "vitest"
import { adminProgram, adminUsage } from "../src/admin/AdminProgram.ts"
import { adminCommands } from "../src/admin/Commands.ts"
import { linesOf } from "../src/admin/Text.ts"
import { asker, command, installation } from "./AdminStage.ts"

/** Runs the program where nothing can be reached. */
const run = async (...args: ReadonlyArray<string>) => {
  const [written, complaints]: [Array<string>, Array<string>] = [[], []]
  const code = await adminProgram(args, {
    environment: { CARILLON_DATABASE_URL: "postgres://carillon@127.0.0.1:1/none" },
    readFile: () => assert.fail("no file is read"),
    write: (line) => written.push(line),
    complain: (line) => complaints.push(line),
  })
  return { code, written: written.join("\n"), complaints: complaints.join("\n") }
}

describe("the operator's program", () => {
  it("says what it can do", async () => {
    const { code, written } = await run("--help")
    assert.strictEqual(code, 0)
    assert.strictEqual(written, adminUsage())
    for (const { name, options } of adminCommands) {
      assert.include(written, `carillon-admin ${name}`)
      for (const option of Object.keys(options)) assert.include(written, `--${option} `)
    }
    assert.strictEqual((await run()).code, 2)
  })

  it("ends with 2 where a command is wrong, and names what is", async () => {
    for (const [args, named] of [
      [["organizations", "close"], "organizations close"],
      [["organizations", "open"], "organizations open takes NAME"],
      [["organizations", "show", "one", "two"], "organizations show takes ORGANIZATION"],
      [["organizations", "list", "--number", "+1"], "--number"],
      [["organizations", "list", "--limit", "1", "--limit", "2"], "--limit: is said twice"],
      [["organizations", "list", "--everything"], "--everything"],
      [["migrate", "now"], "migrate now"],
    ] as const) {
      const { code, complaints } = await run(...args)
      assert.strictEqual(code, 2, complaints)
      assert.include(complaints, named)
    }
  })

  it("ends with 1 where PostgreSQL cannot be reached", async () => {
    const { code, complaints, written } = await run("migrate")
    assert.strictEqual(code, 1)
    assert.include(complaints, "ECONNREFUSED")
    assert.strictEqual(written, "")
  })
})

describe("organizations change", () => {
  it("says for how many days is kept what is over, or for ever, and leaves it where nothing is said", async () => {
    const carillon = await installation()
    const { organization } = await carillon.organizations.open({ name: "Acme", retention_days: 30 })
    const id = organization.organization_id
    const change = (options: Record<string, Array<string>>) =>
      command("organizations change", carillon, id, options).then(({ said }) => said)
    const kept = async () => (await carillon.organizations.find(id))?.retention_days
    assert.deepInclude(await change({ "retention-days": ["7"] }), { retention_days: 7 })
    assert.strictEqual(await kept(), 7)
    await change({ name: ["One"] })
    assert.strictEqual(await kept(), 7)
    await expect(change({ "retention-days": ["often"] })).rejects.toThrow("--retention-days")
    assert.deepInclude(await change({ "retention-days": ["none"] }), { retention_days: null })
    assert.isNull(await kept())
    await carillon.close()
  })
})

describe("platform", () => {
  it("shows who has the lines, and is given more or fewer", async () => {
    const carillon = await Carillon.inMemory({
      carrier: {
        dial: async () => ({ _tag: "Accepted", call_sid: null }),
        hangup: async () => "Sent",
        find: async () => ({ _tag: "NoAnswer" }),
      },
      metrics: false,
    })
    const say = (name: string, options: Record<string, Array<string>> = {}) =>
      command(name, carillon, "", options).then(({ said }) => said)
    assert.deepInclude(await say("platform show"), {
      lines: { ceiling: 1_000, in_use: 0, available: 1_000, silent_for_a_minute: 0, silent_since: null },
      dialling_held: false,
      most_lines: [],
    })
    const wallet = { balance: 100, currency: "USD" }
    const [few, many] = [
      await carillon.organizations.open({ name: "Few", wallet }),
      await carillon.organizations.open({ name: "Many", wallet }),
    ]
    const place = async (key: string, calls: number) => {
      const post = asker(carillon, key)
      const { agent_id } = (await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).body
      const placed = Array.from({ length: calls }, (_, nth) =>
        post("/v2/calls", { agent_id, to_number: `+1212555010${nth}` }),
      )
      return (await Promise.all(placed)).map(({ status }) => status)
    }
    await place(few.key, 1)
    await place(many.key, 3)
    assert.deepStrictEqual(await say("platform change", { lines: ["4"] }), { ceiling: 4 })
    await carillon.dialling.hold("a drill")
    const shown = Object(await say("platform show"))
    assert.deepInclude(shown.lines, { ceiling: 4, in_use: 4, available: 0 })
    assert.deepInclude(shown, { dialling_held: true, held_because: "a drill" })
    assert.deepStrictEqual(shown.most_lines, [
      { organization_id: many.organization.organization_id, lines: 3 },
      { organization_id: few.organization.organization_id, lines: 1 },
    ])
    await expect(say("platform change")).rejects.toThrow("--lines")
    await expect(say("platform change", { lines: ["0"] })).rejects.toThrow()
    await carillon.close()
  })
})

describe("campaigns why", () => {
  it("says how long a read takes, where the store is far away", async () => {
    const carillon = await installation()
    const { key } = await carillon.organizations.open({ name: "Acme", phone_numbers: ["+12125550100"] })
    const post = asker(carillon, key)
    const { agent_id } = (await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).body
    const contacts = [{ to_number: "+12125550101" }]
    const { campaign_id } = (await post("/v2/campaigns", { name: "One", agent_id, contacts })).body
    const farAway: Carillon = {
      ...carillon,
      run: (effect) =>
        carillon.run(
          Effect.flatMap(CampaignStore, (store) => {
            const locate: typeof store.locate = (id) => Effect.delay(store.locate(id), 50)
            return Effect.provideService(effect, CampaignStore, CampaignStore.of({ ...store, locate }))
          }),
        ),
    }
    const { isWell, said } = await command("campaigns why", farAway, String(campaign_id))
    assert.isTrue(isWell)
    // Its wallet is empty.
    assert.deepInclude(said, {
      campaign_id: String(campaign_id),
      status: "created",
      in_flight: 0,
      blocking: [{ reason: "wallet", contacts: 1, until: null }],
      inactive_agents: [],
    })
    assert.isAtLeast(Number(Object(said).store_ms), 49)
    assert.isBelow(Number(Object((await command("campaigns why", carillon, String(campaign_id))).said).store_ms), 49)
    await carillon.close()
  })
})

describe("an organization that moves", () => {
  const folder = mkdtempSync(join(tmpdir(), "carillon-admin-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const refusal = (answer: Promise<unknown>) => answer.then(() => "none", String)

  it("is in the file once all of it is, for its owner alone, and comes out of it", async () => {
    const [from, to] = [await installation(), await installation()]
    const { organization } = await from.organizations.open({ name: "Acme", phone_numbers: ["+12125550100"] })
    const id = organization.organization_id
    const file = join(folder, "acme.jsonl")
    const exported = (organizationId: string, path: string) =>
      command("organizations export", from, organizationId, { to: [path] })
    assert.include(await refusal(command("organizations export", from, id)), "--to FILE")
    assert.include(await refusal(exported("org_none", file)), "Organization not found.")
    assert.deepStrictEqual(readdirSync(folder), [])
    const { isWell, said } = await exported(id, file)
    assert.isTrue(isWell)
    assert.deepInclude(Object(said).lines, { organization: 1, phone_number: 1, api_key: 1, audit: 1 })
    assert.deepStrictEqual(readdirSync(folder), ["acme.jsonl"])
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.include(await refusal(exported(id, file)), "already")
    // Of several that write at once one has the file, whole, and none takes away what another has written.
    const both = join(folder, "both.jsonl")
    const ends = await Promise.all([1, 2, 3].map(() => refusal(exported(id, both))))
    assert.lengthOf(
      ends.filter((end) => end === "none"),
      1,
    )
    assert.sameMembers(readdirSync(folder), ["acme.jsonl", "both.jsonl"])
    assert.include(readFileSync(both, "utf8"), '"end":true')
    const answer = await command("organizations import", to, file)
    assert.deepInclude(answer.said, { organization_id: id, pieces_before: 0, sha256: Object(said).sha256 })
    assert.deepStrictEqual(await to.organizations.find(id), organization)
    const half = join(folder, "half.jsonl")
    await exported(id, half)
    truncateSync(half, statSync(half).size - 1_000)
    const third = await installation()
    assert.include(await refusal(command("organizations import", third, half)), "InvalidField")
    assert.include(await refusal(command("organizations import", third, join(folder, "none"))), "ENOENT")
    assert.isNull(await third.organizations.find(id))
    await Promise.all([from, to, third].map((each) => each.close()))
  })
})

describe("what it says as lines", () => {
  it("is a table of several things, and the fields of one", () => {
    const one = { id: "a", wallet: { balance: 1, currency: "USD" }, tags: ["x", "y"], end: null }
    assert.deepStrictEqual(linesOf(one), [
      "id               a",
      "wallet.balance   1",
      "wallet.currency  USD",
      "tags             x, y",
      "end              -",
    ])
    assert.deepStrictEqual(linesOf([{ id: "a", n: 10 }, { id: "bc" }]), ["id  n", "a   10", "bc"])
    assert.deepStrictEqual(linesOf([]), ["none"])
  })
})
