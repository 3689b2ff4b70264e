import { createServer } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { routes } from "@carillon/api"
import { assert, describe, expectTypeOf, it } from "vitest"
import {
  ApiError,
  createClient,
  errorCodes,
  NoAnswer,
  UnexpectedAnswer,
  type Client,
  type ErrorCode,
} from "../src/promise.ts"
import { flaky } from "./Flaky.ts"

const never = () => new Promise<never>(() => {})

/** Sends nothing, and answers when it is told to stop. */
const hanging = (request: Request): Promise<Response> =>
  new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))

const thrownBy = async (asked: Promise<unknown>): Promise<unknown> => {
  try {
    await asked
  } catch (error) {
    return error
  }
  return assert.fail("Nothing was thrown.")
}

const base = { baseUrl: new URL("https://voice.example.com/"), key: "gat_1" }

describe("a client in promises", () => {
  it("gives up in time where a server never answers, though garbage was collected meanwhile", async () => {
    setFlagsFromString("--expose-gc")
    const collectGarbage: () => void = runInNewContext("gc")
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    const client = createClient({ baseUrl, key: "gat_1", timeoutMs: 500, retries: 0 })
    const collecting = setInterval(collectGarbage, 50)
    try {
      assert.instanceOf(await thrownBy(client.calls.list()), NoAnswer)
    } finally {
      clearInterval(collecting)
      server.close()
      server.closeAllConnections()
    }
  })

  it("has a function for every operation, which asks as the contract says", async () => {
    const asked: Array<string> = []
    const client = createClient({
      ...base,
      fetch: async ({ headers, method, url }) => {
        asked.push(`${method} ${url} ${headers.has("idempotency-key")}`)
        return new Response("{}")
      },
    })
    const operations = new Map<string, (request: object) => Promise<unknown>>(
      Object.entries(client).flatMap(([group, names]) =>
        Object.entries<(request: object) => Promise<unknown>>(names).map(([name, ask]) => [`${group}.${name}`, ask]),
      ),
    )
    for (const { name, path } of routes) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param)
      const ask = operations.get(name)
      assert.isDefined(ask, name)
      await ask({ params: Object.fromEntries(names.map((param) => [param, "a b/ä"])) })
    }
    assert.deepStrictEqual(
      asked,
      routes.map(
        ({ idempotent, method, path }) =>
          `${method} https://voice.example.com${path.replace(/\{\w+\}/g, "a%20b%2F%C3%A4")} ${idempotent}`,
      ),
    )
  })

  it("writes queries and bodies as the service reads them", async () => {
    await using world = await flaky()
    const { agent_id, key } = world.simulator.info
    // A call that is still being placed cannot be stopped yet: the service asks to come back in two seconds, which pass here.
    const sleep = (ms: number) => world.simulator.advance({ by_ms: ms })
    const client = createClient({ ...base, key, fetch: world.fetch, sleep })
    const { execution_id } = await client.calls.place({
      payload: { agent_id, to_number: "+999000100000001", variables: { first_name: "Ada" } },
    })
    const page = await client.calls.list({
      query: {
        status: "queued,ringing,in-progress",
        include_transcript: true,
        page_size: 1,
        to_number: "+999000100000001",
      },
    })
    assert.deepStrictEqual(
      page.data.map((call) => [call.execution_id, call.variables]),
      [[execution_id, { first_name: "Ada" }]],
    )
    assert.strictEqual((await client.calls.stop({ params: { execution_id } })).execution_id, execution_id)
  })

  it("sends files", async () => {
    await using world = await flaky()
    const baseUrl = await world.listen()
    const client = createClient({ baseUrl, key: world.simulator.info.key })
    const payload = new FormData()
    payload.set("agent_id", world.simulator.info.agent_id)
    payload.set("name", "Renewals")
    payload.set(
      "file",
      new Blob(["to_number,first_name\n+999000100000001,Ada\n"], { type: "text/csv" }),
      "contacts.csv",
    )
    world.fates.push("lose")
    const { campaign_id, total_contacts } = await client.campaigns.create({ payload })
    assert.strictEqual(total_contacts, 1)
    assert.lengthOf(world.sent, 2)
    assert.lengthOf((await client.campaigns.list()).data, 1)
    await client.campaigns.cancel({ params: { campaign_id } })
    assert.isUndefined(await client.campaigns.remove({ params: { campaign_id } }))

    const upload = new FormData()
    upload.set("collection", "handbook")
    upload.set("files", new Blob(["no PDF"]), "handbook.pdf")
    const refused = await thrownBy(client.knowledge.create({ payload: upload }))
    assert.instanceOf(refused, ApiError)
    assert.strictEqual(refused.status, 415)
  })

  it("says why it was refused, for how long, and what the request is called", async () => {
    const headers = { "retry-after": "90", "x-request-id": "req_1" }
    const body = JSON.stringify({ error: 1300, message: "Rate limit exceeded." })
    const client = createClient({ ...base, fetch: async () => new Response(body, { status: 429, headers }) })
    const error = await thrownBy(client.identity.me())
    assert.instanceOf(error, ApiError)
    const { code, message, requestId, retryAfterMs, status } = error
    assert.deepStrictEqual(
      { code, message, requestId, retryAfterMs, status },
      {
        code: errorCodes.LimitExceeded,
        message: "Rate limit exceeded.",
        requestId: "req_1",
        retryAfterMs: 90_000,
        status: 429,
      },
    )
    expectTypeOf(code).toEqualTypeOf<ErrorCode>()
  })

  it("follows no redirect, which would carry the key elsewhere", async () => {
    const modes: Array<string> = []
    const client = createClient({
      ...base,
      fetch: async ({ redirect }) => {
        modes.push(redirect)
        return new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } })
      },
    })
    assert.instanceOf(await thrownBy(client.identity.me()), UnexpectedAnswer)
    assert.isUndefined(await client.calls.recording({ params: { execution_id: "exec_1" }, query: { redirect: true } }))
    assert.deepStrictEqual(modes, ["manual", "manual"])
  })

  it("gives up an attempt that takes too long, and tries again", async () => {
    let sent = 0
    const fetch = (request: Request) => {
      sent++
      return hanging(request)
    }
    const client = createClient({ ...base, timeoutMs: 5, sleep: async () => {}, fetch })
    const error = await thrownBy(client.identity.me())
    assert.instanceOf(error, NoAnswer)
    assert.strictEqual((error.cause as Error).name, "TimeoutError")
    assert.strictEqual(sent, 3)
    await thrownBy(client.identity.me({}, { retries: 0 }))
    assert.strictEqual(sent, 4)
  })

  it("takes no empty answer and no other thing for a page", async () => {
    const of = (body: string) => createClient({ ...base, fetch: async () => new Response(body) })
    assert.instanceOf(await thrownBy(of("").identity.me()), UnexpectedAnswer)
    const walked = async () => {
      for await (const call of of('{"data":[]}').calls.list()) assert.fail(call.execution_id)
    }
    assert.instanceOf(await thrownBy(walked()), UnexpectedAnswer)
  })

  it("says at once what can never be sent", async () => {
    const unsent = createClient({ ...base, key: "gat_\n1", fetch: () => assert.fail("It was sent.") })
    assert.instanceOf(await thrownBy(unsent.identity.me()), TypeError)
    const nowhere = createClient({ ...base, baseUrl: "nowhere", fetch: () => assert.fail("It was sent.") })
    assert.instanceOf(await thrownBy(nowhere.identity.me()), TypeError)
  })

  it("stops at once when it is told to, in an attempt and between two", async () => {
    const reason = new Error("Nobody waits any more.")
    const asking = new AbortController()
    const inAttempt = thrownBy(createClient({ ...base, fetch: hanging }).identity.me({}, { signal: asking.signal }))
    asking.abort(reason)
    assert.strictEqual(await inAttempt, reason)

    const waiting = new AbortController()
    const answered = Promise.withResolvers<void>()
    const between = createClient({
      ...base,
      fetch: async () => {
        answered.resolve()
        return new Response("", { status: 503, headers: { "retry-after": "60" } })
      },
    })
    const betweenTwo = thrownBy(between.identity.me({}, { signal: waiting.signal }))
    await answered.promise
    await new Promise((resolve) => setImmediate(resolve))
    waiting.abort(reason)
    assert.strictEqual(await betweenTwo, reason)

    const silent = createClient({ ...base, fetch: never })
    assert.strictEqual(await thrownBy(silent.identity.me({}, { signal: AbortSignal.abort(reason) })), reason)
  })

  it("has types that know the contract", () => {
    type Place = Parameters<Client["calls"]["place"]>
    expectTypeOf<Place[0]["payload"]["to_number"]>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<Place[1]>>().toHaveProperty("idempotencyKey")
    expectTypeOf<NonNullable<Parameters<Client["keys"]["mint"]>[1]>>().not.toHaveProperty("idempotencyKey")
    expectTypeOf<Parameters<Client["identity"]["me"]>[0]>().toExtend<object | undefined>()
    expectTypeOf<Parameters<Client["knowledge"]["upload"]>[0]["payload"]>().toEqualTypeOf<FormData>()
    expectTypeOf<Awaited<ReturnType<Client["campaigns"]["remove"]>>>().toEqualTypeOf<void>()
    expectTypeOf<ReturnType<Client["calls"]["list"]>>().toExtend<AsyncIterable<{ readonly execution_id: string }>>()
    expectTypeOf<ReturnType<Client["calls"]["get"]>>().not.toExtend<AsyncIterable<unknown>>()
    // @ts-expect-error -- a name that is no field is a slip.
    const slip: Place[0] = { payload: { agent_id: "a", to_number: "+15555550100", variabels: {} } }
    // @ts-expect-error -- to_number is required.
    const less: Place[0] = { payload: { agent_id: "a" } }
    assert.isObject({ slip, less })
  })
})
