import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "@carillon/core"
import { chosenObject as chosen } from "@carillon/core/testing"
import { parseEscapedKeys } from "../../src/EscapedKeys.ts"
import { formOf } from "../Forms.ts"
import { agentId, makeWorld, type World } from "../World.ts"

const world = async (use: (world: World) => Promise<void>): Promise<void> => {
  const made = await makeWorld()
  try {
    await use(made)
  } finally {
    await made.close()
  }
}

/** What was answered, its keys as they were written: the platform's own parser confuses some that are escaped (`src/EscapedKeys.ts`). */
const readOf = ({ text }: { readonly text: string | null }): Record<string, unknown> =>
  Object(parseEscapedKeys(text ?? "{}"))

const get = async (world: World, target: string) => readOf(await world.send({ target }))

const post = async (world: World, target: string, body: object, method = "POST") => {
  const answer = await world.send({ method, target, body })
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
  return readOf(answer)
}

const text = JSON.stringify

describe("what customers name themselves is kept as it was sent", () => {
  it("in the variables and the metadata of a call", () =>
    world(async (world) => {
      await fc.assert(
        fc.asyncProperty(chosen, chosen, async (variables, metadata) => {
          const body = { agent_id: agentId, to_number: "+15555550123", variables, metadata }
          const booked = { ...body, scheduled_at: new Date(world.clock.now + 3_600_000).toISOString() }
          const { execution_id } = await post(world, "/v2/calls", booked)
          const read = await get(world, `/v2/calls/${String(execution_id)}`)
          expect(text(read["variables"])).toBe(text({ ...variables, ...metadata }))
        }),
        { numRuns: 60 },
      )
    }))

  it("in campaigns, batches and their contacts", () =>
    world(async (world) => {
      await fc.assert(
        fc.asyncProperty(chosen, chosen, chosen, async (first, second, third) => {
          const settings = { default_call_variables: first, default_call_context: second, metadata: third }
          const numbered = { to_number: "+15555550123", ...third }
          const made = await post(world, "/v2/campaigns", {
            name: "x",
            agent_id: agentId,
            ...settings,
            follow_up_policy: { follow_up_extra_logic: first },
            start_time: new Date(world.clock.now + 3_600_000).toISOString(),
            contacts: [numbered],
          })
          const target = `/v2/campaigns/${String(made["campaign_id"])}`
          const campaign = await get(world, target)
          for (const [field, sent] of Object.entries(settings)) expect(text(campaign[field])).toBe(text(sent))
          expect(campaign).toMatchObject({ follow_up_policy: {} })
          const listed = (await get(world, `${target}/contacts`))["data"]
          const { to_number: _, ...variables } = numbered
          expect(text(Object(listed)[0].variables)).toBe(text(variables))
          const batch = await post(world, "/v2/batches", { agent_id: agentId, metadata: second, contacts: [numbered] })
          expect(text(batch["metadata"])).toBe(text(second))
          const form = await world.send({
            method: "POST",
            target: "/v2/campaigns",
            ...formOf([
              { name: "name", value: "x" },
              { name: "agent_id", value: agentId },
              { name: "metadata", value: text(third) },
              { name: "default_call_variables", value: text(first) },
              { name: "file", filename: "a.csv", value: "phone\n+15555550123\n" },
            ]),
          })
          expect(text(readOf(form)["metadata"])).toBe(text(third))
          expect(text(readOf(form)["default_call_variables"])).toBe(text(first))
        }),
        { numRuns: 40 },
      )
    }))

  it("in an agent, and in what a patch merges into it", () =>
    world(async (world) => {
      const display_name = "Kept"
      await fc.assert(
        fc.asyncProperty(chosen, chosen, async (configuration, settings) => {
          const made = await post(world, "/v2/agents", { display_name, settings })
          const target = `/v2/agents/${String(made["agent_id"])}`
          const patched = await post(world, target, { configuration: { session_policy: configuration } }, "PATCH")
          const merged = Object(patched["configuration"]).session_policy
          for (const [sent, kept] of [
            [settings, Object(made["settings"])],
            [configuration, merged],
          ]) {
            // Objects are merged, and a null takes away: that is asked of the merge patch.
            for (const [key, each] of Object.entries(sent)) {
              if (each === null || (typeof each === "object" && !Array.isArray(each))) continue
              expect([key, text(Object.getOwnPropertyDescriptor(kept, key)?.value)]).toEqual([key, text(each)])
            }
          }
        }),
        { numRuns: 60 },
      )
    }))

  it("where a contact is named twice, as a column and as an alias", () =>
    world(async (world) => {
      const contact = { phone_number: "+15555550199", to_number: "+15555550123", name: "Ada" }
      const start_time = new Date(world.clock.now + 3_600_000).toISOString()
      const made = await post(world, "/v2/campaigns", { name: "x", agent_id: agentId, start_time, contacts: [contact] })
      const listed = await world.send({ target: `/v2/campaigns/${String(made["campaign_id"])}/contacts` })
      expect(listed.json["data"]).toMatchObject([
        { to_number: "+15555550123", variables: { phone_number: "+15555550199", name: "Ada" } },
      ])
    }))
})

describe("what cannot be kept is refused", () => {
  const transliteration = { enabled: true, fields: ["city", "name"], target_language_code: "hi", keep_original: true }
  const refusalOf = async (world: World, sent: object) => {
    const { json, status } = await world.send({ method: "POST", target: "/v2/campaigns", ...sent })
    return [status, json["error"], json["message"]]
  }

  it("a variable where the original of another is to be kept, in JSON and in a file, and nothing is stored", () =>
    world(async (world) => {
      const contacts = [{ to_number: "+15555550123" }, { to_number: "+15555550124", name: "Ada", name_original: "x" }]
      const body = { name: "x", agent_id: agentId, transliteration, contacts }
      const stands = "stands where transliteration.keep_original puts the original of 'name'."
      expect(await refusalOf(world, { body })).toEqual([
        422,
        1001,
        `Invalid value for 'contacts[1].name_original': ${stands}`,
      ])
      const form = formOf([
        { name: "name", value: "x" },
        { name: "agent_id", value: agentId },
        { name: "transliteration", value: text(transliteration) },
        { name: "file", filename: "a.csv", value: "phone,name,name_original\n+15555550123,Ada,x\n" },
      ])
      expect(await refusalOf(world, form)).toEqual([
        422,
        1001,
        `Invalid value for 'file': has a column 'name_original', which ${stands}`,
      ])
      expect((await world.send({ target: "/v2/campaigns" })).json["data"]).toEqual([])
      const kept = { ...body, transliteration: { ...transliteration, keep_original: false } }
      expect((await refusalOf(world, { body: kept }))[0]).toBe(201)
    }))

  it("a contact that is too large once it is written in the other script, in JSON and in a file, and nothing is stored", () =>
    world(async (world) => {
      const city = "x".repeat(0.6 * limits.contactBytes)
      const contacts = [{ to_number: "+15555550123" }, { to_number: "+15555550124", city }]
      const body = { name: "x", agent_id: agentId, transliteration, contacts }
      const reason = `must take at most ${limits.contactBytes} bytes of JSON, its transliteration included.`
      expect(await refusalOf(world, { body })).toEqual([422, 1001, `Invalid value for 'contacts[1]': ${reason}`])
      const form = formOf([
        { name: "name", value: "x" },
        { name: "agent_id", value: agentId },
        { name: "transliteration", value: text(transliteration) },
        { name: "file", filename: "a.csv", value: `phone,city\n+15555550123,Ada\n\n+15555550124,${city}\n` },
      ])
      expect(await refusalOf(world, form)).toEqual([
        422,
        1001,
        `Invalid value for 'file': the contact of line 4 ${reason}`,
      ])
      expect((await world.send({ target: "/v2/campaigns" })).json["data"]).toEqual([])
      const other = { ...body, transliteration: { ...transliteration, fields: ["name"] } }
      expect((await refusalOf(world, { body: other }))[0]).toBe(201)
    }))

  it("a language that nobody can write, on create and on PATCH", () =>
    world(async (world) => {
      const reason = "is not a language that names can be transliterated with."
      const body = { name: "x", agent_id: agentId }
      const made = await world.send({ method: "POST", target: "/v2/campaigns", body })
      const cases: ReadonlyArray<readonly [object, number, number, string]> = [
        [
          { target_language_code: "xx" },
          422,
          1001,
          `Invalid value for 'transliteration.target_language_code': ${reason}`,
        ],
        [
          { source_language_code: "xx" },
          422,
          1001,
          `Invalid value for 'transliteration.source_language_code': ${reason}`,
        ],
        [
          { target_language_code: null },
          400,
          1002,
          "Missing required parameter 'transliteration.target_language_code'.",
        ],
      ]
      for (const [change, ...refusal] of cases) {
        const wrong = { transliteration: { ...transliteration, ...change } }
        expect(await refusalOf(world, { body: { ...body, ...wrong } })).toEqual(refusal)
        const target = `/v2/campaigns/${String(made.json["campaign_id"])}`
        const { json, status } = await world.send({ method: "PATCH", target, body: wrong })
        expect([status, json["error"], json["message"]]).toEqual(refusal)
      }
    }))
})
