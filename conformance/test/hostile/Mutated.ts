import { isObject, parseJson } from "../../src/http/Json.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { seedOf, streamOf } from "../../src/run/Seed.ts"

/** What no client expects where it stands. */
const strangers: ReadonlyArray<unknown> = [
  null,
  [],
  {},
  "",
  "\u0000",
  "../../v2/calls?x=%00#",
  "not a time",
  "9999999-01-01T00:00:00Z",
  -1,
  1e308,
  0.1,
  true,
  [null],
  { toString: 1, __proto__: null, constructor: {} },
  "x".repeat(10_000),
]

/**
 * A server whose answers under `/v2` are bent here and there: a value replaced, a member left out, a status of another. What becomes of the n-th
 * answer to a request is drawn for it alone, so that a busy machine, where others come in between, changes nothing.
 */
export const mutated = (fetch: Fetch, seed: number, rate: number): Fetch => {
  const asked = new Map<string, number>()
  const drawFor = (request: Request) => {
    const name = `${request.method} ${new URL(request.url).pathname}`
    const nth = asked.get(name) ?? 0
    asked.set(name, nth + 1)
    return streamOf(seedOf(seed, `${name} ${nth}`))
  }
  return async (request) => {
    const random = drawFor(request)
    const response = await fetch(request)
    if (!new URL(request.url).pathname.startsWith("/v2") || response.status === 204) return response
    const text = await response.text()
    const json = parseJson(text)
    const status = random() < rate / 4 ? (pick(random, [200, 202, 400, 404, 409, 500, 502]) ?? 200) : response.status
    const body = json === undefined ? text : JSON.stringify(bent(random, rate, json))
    return new Response(body, { status, headers: response.headers })
  }
}

const pick = <T>(random: () => number, list: ReadonlyArray<T>): T | undefined =>
  list[Math.floor(random() * list.length)]

const bent = (random: () => number, rate: number, value: unknown): unknown => {
  if (random() < rate) return pick(random, strangers)
  if (Array.isArray(value)) return value.map((each) => bent(random, rate, each))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) => (random() < rate / 4 ? [] : [[name, bent(random, rate, child)]])),
  )
}
