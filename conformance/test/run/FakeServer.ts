import type { Fetch } from "../../src/http/Wire.ts"

/** What a fake route answers. */
export type Reply = readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]

/** A route by method and path (`GET /v2/user/me`); a function sees the request. */
export type Routes = Readonly<Record<string, Reply | ((request: Request) => Reply | Promise<Reply>)>>

const goodHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-request-id": "req_1",
  "x-ratelimit-limit": "1000",
  "x-ratelimit-remaining": "900",
  "x-ratelimit-reset": "30",
}

const identity = {
  organization_id: "org_1",
  developer: { id: "dev_1", name: "Ada", key_id: "key_0123456789abcdef", key_preview: "gat_abcdefgh...wxyz" },
  plan: "standard",
  rate_limit_tier: "standard",
  rate_limits: {},
  concurrency: { max: 20, enforced: true },
}

/** A server in this process with a few fixed answers; everything else is a conforming 404. */
export const fakeServer = (routes: Routes = {}): Fetch => {
  const all: Routes = { "GET /v2/user/me": [200, identity], ...routes }
  return async (request) => {
    const route = all[`${request.method} ${new URL(request.url).pathname}`]
    const reply =
      typeof route === "function"
        ? await route(request)
        : (route ?? [404, { error: 1200, message: "No such resource." }])
    const [status, body, headers] = reply
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { ...goodHeaders, ...headers },
    })
  }
}

/** A control surface that offers organizations and nothing else, one key each. */
export const fixturesOnly: Routes = {
  "GET /_sim/capabilities": [200, { contract: 1, organizations: true, clock: false, faults: {} }],
  "POST /_sim/organizations": [
    201,
    {
      organization_id: "org_2",
      phone_numbers: ["+15555550100"],
      keys: [{ key: "gat_fixturefixturefixture", key_id: "key_1" }],
    },
  ],
}
