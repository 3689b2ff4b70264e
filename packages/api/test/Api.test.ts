import { Effect, Result } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { Api } from "../src/Api.ts"
import { errorClasses, errorStatuses } from "../src/Errors.ts"

const requests: Array<string> = []

/** A service that gives one answer to everything. */
const answering = (status: number, body: unknown) =>
  HttpClient.make((request, url) =>
    Effect.sync(() => {
      requests.push(`${request.method} ${url.pathname}${url.search}`)
      const headers = { "content-type": "application/json" }
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status, headers }))
    }),
  )

const place = (status: number, body: unknown) =>
  HttpApiClient.make(Api, { baseUrl: "http://calls.example" }).pipe(
    Effect.flatMap((client) =>
      client.calls.place({ query: {}, payload: { agent_id: "agt_1", to_number: "+15555550100" } }),
    ),
    Effect.provideService(HttpClient.HttpClient, answering(status, body)),
    Effect.result,
    Effect.runPromise,
  )

const placed = {
  execution_id: "exec_1",
  call_sid: null,
  agent_id: "agt_1",
  to_number: "+15555550100",
  from_number: null,
  created_at: "2026-01-05T09:00:00.000Z",
}

describe("a client generated from the contract", () => {
  it("tells the three answers to a dial apart, and takes new fields in its stride", async () => {
    const dialed = { ...placed, status: "queued" }
    const unconfirmed = { ...placed, status: "queued", dispatch: "pending_confirmation" }
    const scheduled = {
      ...placed,
      status: "scheduled",
      scheduled_at: "2026-01-05T09:00:00.000Z",
      deferred_by_calling_guard: true,
    }
    const answers: ReadonlyArray<readonly [number, object]> = [
      [201, dialed],
      [202, unconfirmed],
      [202, scheduled],
    ]
    for (const [status, body] of answers) {
      const result = await place(status, { ...body, of_a_later_version: 1 })
      assert.deepStrictEqual({ ...Result.getOrThrow(result) }, body)
    }
  })

  it("fails with the class of the answer's code", async () => {
    const onDials = errorClasses.filter(
      (errorClass) => !["LengthRequired", "UnsupportedMediaType"].includes(errorClass.name),
    )
    for (const errorClass of onDials) {
      const { error, _tag } = new errorClass({ message: "A sentence." })
      const status = _tag === "PayloadTooLarge" ? 413 : errorStatuses[error][0]
      const result = await place(status, { error, message: "A sentence." })
      assert.isTrue(Result.isFailure(result) && result.failure instanceof errorClass, _tag)
    }
  })

  it("writes parameters where the specification has them", async () => {
    const page = { data: [], pagination: { page: 2, page_size: 20, total: 0, total_pages: 0, has_more: false } }
    requests.length = 0
    await HttpApiClient.make(Api, { baseUrl: "http://calls.example" }).pipe(
      Effect.flatMap((client) =>
        client.agents.executions({
          params: { agent_id: "agt_1" },
          query: { page: 2, include_transcript: true, status: "busy,failed" },
        }),
      ),
      Effect.provideService(HttpClient.HttpClient, answering(200, page)),
      Effect.runPromise,
    )
    const [request] = requests
    const [target, search] = (request ?? "").split("?")
    assert.strictEqual(target, "GET /v2/agents/agt_1/executions")
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(search)), {
      page: "2",
      include_transcript: "true",
      status: "busy,failed",
    })
  })
})
