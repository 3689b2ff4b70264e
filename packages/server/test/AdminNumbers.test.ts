import type { AuditRecord } from "@carillon/core"
import { AuditStore } from "@carillon/core/ports"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { Effect, Layer } from "effect"
import { assert, describe, expect, it } from "vitest"
import { adminCommands } from "../src/admin/Commands.ts"
import { Words } from "../src/admin/Words.ts"
import { numberOwnership } from "../src/Ports.ts"
import type { Settings } from "../src/settings/Settings.ts"
import { nobodyDials } from "./NobodyDials.ts"

const number = "+12125550100"

/** An installation in which customers may register numbers, or may not, with two organizations. */
const installed = async (numberRegistration: Settings["numberRegistration"]) => {
  const carrier = Layer.merge(nobodyDials, numberOwnership({ numberRegistration }))
  const carillon = await Carillon.inMemory({ carrier, metrics: false, takesWork: false })
  const ask = webHandler(carillon.handle)
  const opened = async (name: string) => {
    const { key, organization } = await carillon.organizations.open({ name })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const register = async (phone_number: string) => {
      const body = JSON.stringify({ phone_number })
      const answer = await ask(new Request("http://host/v2/phone-numbers", { method: "POST", headers, body }))
      return answer.status
    }
    return { id: organization.organization_id, register }
  }
  const say = async (name: string, args: ReadonlyArray<string>, options: Record<string, Array<string>> = {}) => {
    const command = adminCommands.find((each) => each.name === name)
    assert(command !== undefined)
    return command.run(new Words(args, options), carillon)
  }
  return { carillon, say, one: await opened("One"), two: await opened("Two") }
}

describe("phone numbers", () => {
  it("are registered by customers where nothing is said, each by one organization", async () => {
    const { carillon, one, two } = await installed("first")
    assert.deepStrictEqual([await one.register(number), await two.register(number)], [201, 409])
    await carillon.close()
  })

  it.each(["first", "operator"] as const)(
    "are not given to an organization that is opened while another has them (%s)",
    async (registration) => {
      const { carillon, one, say } = await installed(registration)
      assert.isTrue((await say("numbers assign", [one.id, number])).isWell)
      const open = (numbers: ReadonlyArray<string>) =>
        carillon.organizations.open({ name: "New", phone_numbers: numbers })
      await expect(open(["+12125550101", number])).rejects.toThrow("phone_numbers[1] is not available")
      assert.deepInclude((await say("numbers holders", [number])).said, { organizations: [one.id] })
      assert.deepInclude((await say("numbers holders", ["+12125550101"])).said, { organizations: [] })
      assert.isTrue((await say("numbers take", [one.id, number])).isWell)
      const { organization } = await open([number])
      assert.deepInclude((await say("numbers holders", [number])).said, {
        organizations: [organization.organization_id],
      })
      await carillon.close()
    },
  )

  it("are given by the operator alone where that is said, and taken away again", async () => {
    const { carillon, one, say, two } = await installed("operator")
    assert.strictEqual(await one.register(number), 409)
    assert.deepInclude((await say("numbers assign", [one.id, number])).said, { phone_number: number, label: null })
    await expect(say("numbers assign", [one.id, number])).rejects.toThrow("already registered")
    await expect(say("numbers assign", [two.id, number])).rejects.toThrow("not available")
    assert.deepStrictEqual((await say("numbers holders", [number])).said, {
      phone_number: number,
      organizations: [one.id],
    })
    const listed = async (id: string) => Object((await say("numbers list", [id])).said)
    assert.lengthOf(await listed(one.id), 1)
    assert.lengthOf(await listed(two.id), 0)
    assert.isFalse((await say("numbers take", [two.id, number])).isWell)
    assert.isTrue((await say("numbers take", [one.id, number])).isWell)
    assert.strictEqual(await two.register(number), 409)
    assert.isTrue((await say("numbers assign", [two.id, number])).isWell)
    const asked = Effect.flatMap(AuditStore, (audit) => audit.page(one.id, {}, { page: 1, page_size: 10 }))
    const { items }: { readonly items: ReadonlyArray<AuditRecord> } = await carillon.run(asked)
    const told = items.filter(({ action, outcome }) => action.startsWith("phone_number.") && outcome === "allowed")
    assert.deepStrictEqual(
      told.map(({ action, actor }) => [action, actor.key_id]),
      [
        ["phone_number.delete", null],
        ["phone_number.create", null],
      ],
    )
    await carillon.close()
  })

  it("are not what is no number, and of no organization that is not there", async () => {
    const { carillon, one, say } = await installed("first")
    await expect(say("numbers assign", [one.id, "12125550100"])).rejects.toThrow("NUMBER")
    await expect(say("numbers assign", ["org_none", number])).rejects.toThrow("Organization not found")
    await expect(say("numbers list", [one.id], { page: ["0"] })).rejects.toThrow("--page")
    await carillon.close()
  })
})
