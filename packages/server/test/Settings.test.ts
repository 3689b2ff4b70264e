import { callLimits } from "@carillon/core"
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { carrierKinds } from "../src/carriers/CarrierKinds.ts"
import { chooser } from "../src/carriers/Routing.ts"
import { Given, valuesOf } from "../src/settings/Given.ts"
import { variableOf } from "../src/settings/SettingBook.ts"
import { everySetting, readSettings } from "../src/settings/Settings.ts"

const read = (environment: Readonly<Record<string, string>>, file: unknown = {}) =>
  readSettings(new Given(environment, valuesOf(JSON.stringify(file)), "carillon.json"))

const right = (environment: Readonly<Record<string, string>>, file: unknown = {}) => {
  const settings = read(environment, file)
  if (Result.isFailure(settings)) throw new Error(settings.failure.join("\n"))
  return settings.success
}

const wrong = (environment: Readonly<Record<string, string>>, file: unknown = {}): ReadonlyArray<string> => {
  const settings = read(environment, file)
  return Result.isFailure(settings) ? settings.failure : []
}

const database = { CARILLON_DATABASE_URL: "postgres://carillon:secret@db/carillon" }
const account = `AC${"0".repeat(32)}`
const twilio = { account_sid: account, auth_token: "secret", voice: "relay:wss://agents.example.com/calls" }

describe("the settings", () => {
  it("need nothing but the database", () => {
    const { carriers, databaseUrl, noticeSeconds, port, redisUrl, routes } = right(database)
    assert.strictEqual(Redacted.value(databaseUrl), database.CARILLON_DATABASE_URL)
    assert.deepStrictEqual([port, noticeSeconds, redisUrl, carriers, routes], [8080, 10, undefined, [], []])
    assert.lengthOf(wrong({}), 1)
  })

  it("have the times of calls, each within its bounds", () => {
    assert.deepStrictEqual(right(database).limits, callLimits())
    const limits = { ring_grace_ms: 5_000, drain_finish_ms: 0 }
    const set = right({ ...database, CARILLON_LIMITS_RING_GRACE_MS: "6000" }, { limits })
    assert.deepStrictEqual(set.limits, callLimits({ ringGraceMs: 6_000, drainFinishMs: 0 }))
    assert.deepStrictEqual(wrong(database, { limits: { ring_grace_ms: 1 } }), [
      "limits.ring_grace_ms: must be a whole number from 1000 to 600000 (in carillon.json)",
    ])
  })

  it("leave numbers to whoever registers them first, unless the operator gives them out", () => {
    assert.strictEqual(right(database).numberRegistration, "first")
    assert.strictEqual(right(database, { numbers: { registration: "operator" } }).numberRegistration, "operator")
    assert.lengthOf(wrong({ ...database, CARILLON_NUMBERS_REGISTRATION: "nobody" }), 1)
  })

  it("have no two keys of one name, which would be told only when the server starts", () => {
    const key = Buffer.alloc(32).toString("base64")
    assert.lengthOf(wrong({ ...database, CARILLON_SECRETS_KEYS: `a=${key},a=${key}` }), 1)
    assert.isEmpty(wrong({ ...database, CARILLON_SECRETS_KEYS: `a=${key},b=${key}` }))
  })

  it("come from a file, and a variable goes before it", () => {
    const file = { port: 1234, keep_alive_seconds: 5, database: { url: "postgres://file/db", max_connections: 20 } }
    const settings = right({ CARILLON_PORT: "4321", CARILLON_LOG_FORMAT: "" }, file)
    assert.deepStrictEqual([settings.port, settings.databaseConnections, settings.logFormat], [4321, 20, "text"])
    assert.strictEqual(Redacted.value(settings.databaseUrl), "postgres://file/db")
  })

  it("have carriers by name, in the file and in variables alike", () => {
    const file = { carriers: ["german", "twilio"], carrier: { german: { ...twilio, type: "twilio" }, twilio } }
    const inFile = right({ ...database, CARILLON_PUBLIC_URL: "https://voice.example.com" }, file)
    const own = Object.entries(twilio).flatMap(([name, value]) =>
      ["german", "twilio"].map((carrier) => [variableOf(`carrier.${carrier}.${name}`), value]),
    )
    const inVariables = right({
      ...database,
      ...Object.fromEntries(own),
      CARILLON_PUBLIC_URL: "https://voice.example.com",
      CARILLON_CARRIERS: "german,twilio",
      CARILLON_CARRIER_GERMAN_TYPE: "twilio",
    })
    for (const { carriers } of [inFile, inVariables]) {
      assert.deepStrictEqual(
        carriers.map(({ name }) => name),
        ["german", "twilio"],
      )
    }
  })

  it("make a carrier of every type that there is", () => {
    const livekit = {
      url: "wss://project.livekit.cloud",
      api_key: "key",
      api_secret: "secret",
      trunk_id: "ST_1",
      agent_name: "carillon",
    }
    const telnyx = {
      api_key: "KEY1",
      public_key: Buffer.alloc(32, 7).toString("base64"),
      connection_id: "1",
      voice: "relay:wss://agents.example.com/calls",
    }
    const { carriers } = right(
      { ...database, CARILLON_PUBLIC_URL: "https://voice.example.com" },
      { carriers: carrierKinds.map(({ type }) => type), carrier: { twilio, telnyx, livekit } },
    )
    assert.deepStrictEqual(
      carriers.map(({ name }) => name),
      carrierKinds.map(({ type }) => type),
    )
    for (const { make, name } of carriers) {
      const made = make({ url: `https://voice.example.com/carriers/${name}`, path: `/carriers/${name}` })
      assert.isFunction(made.callbacks(() => Promise.resolve("applied")))
    }
  })

  it("have no voice for Twilio that Twilio would not reach", () => {
    for (const voice of ["relay:ws://agents.example.com/calls", "stream:ws://agents.example.com/calls"]) {
      const lines = wrong(
        { ...database, CARILLON_PUBLIC_URL: "https://voice.example.com" },
        { carriers: ["twilio"], carrier: { twilio: { ...twilio, voice } } },
      )
      assert.isTrue(
        lines.some((line) => line.startsWith("carrier.twilio.voice: must be")),
        voice,
      )
    }
  })

  it("are all said to be wrong at once, with their places and without their values", () => {
    const lines = wrong(
      { CARILLON_PORT: "99999", CARILLON_PROT: "1", CARILLON_CARRIER_TWILIO_AUTH_TOKEN: "a secret" },
      {
        carriers: ["twilio", "german", "twilio"],
        carrier: { twilio: { account_sid: "ACnone", voice: "shout:hello" }, german: { type: "none", key: 1 } },
        routes: ["+49=nobody"],
        notice: 1,
      },
    )
    for (const name of [
      "port: must be a whole number from 0 to 65535 (in CARILLON_PORT)",
      "database.url: is missing",
      "public_url: is missing",
      "carriers: names twilio twice",
      "routes: must be",
      "carrier.twilio.account_sid: must be",
      "carrier.twilio.auth_token: must be a token (in CARILLON_CARRIER_TWILIO_AUTH_TOKEN)",
      "carrier.twilio.voice: must be",
      "carrier.german.type: must be `twilio`",
      "CARILLON_PROT: is not a setting",
      "notice: is not a setting (in carillon.json)",
    ]) {
      assert.isTrue(
        lines.some((line) => line.startsWith(name)),
        name,
      )
    }
    assert.lengthOf(lines, 11)
    assert.notInclude(lines.join(), "a secret")
    assert.notInclude(lines.join(), "ACnone")
  })

  it("are refused whole where the file is none", () => {
    for (const text of ["{", "[]", "null", `{"a":null}`, `{"a":[{}]}`, `{"a":{"b":{"c":{"d":1}}}}`]) {
      assert.throws(() => valuesOf(text))
    }
  })

  it("have what is not set as their page says", () => {
    for (const { book } of everySetting()) {
      for (const { meaning, name, otherwise, takes } of book.settings) {
        assert.notStrictEqual(meaning, "", name)
        if (otherwise === null || otherwise === "") continue
        // The default is one of the values that are taken.
        const bounds = /^a (?:whole )?number from (\S+) to (\S+)$/.exec(takes)
        if (bounds !== null)
          assert.isTrue(Number(bounds[1]) <= Number(otherwise) && Number(otherwise) <= Number(bounds[2]))
      }
    }
    const own = everySetting().flatMap(({ book }) => book.settings.map(({ name }) => name))
    const inFile = new Set(own.map(variableOf))
    assert.strictEqual(inFile.size, new Set(own).size, "two settings share a variable")
  })
})

describe("the routes", () => {
  it("go by the longest beginning, and to all carriers where there is none", () => {
    const base = { ...database, CARILLON_PUBLIC_URL: "https://voice.example.com" }
    const carrier = { one: { ...twilio, type: "twilio" }, two: { ...twilio, type: "twilio" } }
    const { carriers, routes } = right(base, {
      carriers: ["one", "two"],
      carrier,
      routes: ["+49=two", "+4930=one/two"],
    })
    const choose = chooser(
      routes,
      carriers.map(({ name }) => name),
    )
    assert.deepStrictEqual(choose({ to_number: "+4930123" }), ["one", "two"])
    assert.deepStrictEqual(choose({ to_number: "+4940123" }), ["two"])
    assert.deepStrictEqual(choose({ to_number: "+12125550100" }), ["one", "two"])
  })
})
