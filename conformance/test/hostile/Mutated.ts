import { isObject, parseJson } from "../../src/http/Json.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { streamOf } from "../../src/run/Seed.ts"

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

/** A server whose answers under `/v2` are bent here and there: a value replaced, a member left out, a status of another. */
export const mutated = (fetch: Fetch, seed: number, rate: number): Fetch => {
  const random = streamOf(seed)
  const pick = <T>(list: ReadonlyArray<T>): T | undefined => list[Math.floor(random() * list.length)]
  const bent = (value: unknown): unknown => {
    if (random() < rate) return pick(strangers)
    if (Array.isArray(value)) return value.map(bent)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, child]) => (random() < rate / 4 ? [] : [[name, bent(child)]])),
    )
  }
  return async (request) => {
    const response = await fetch(request)
    if (!new URL(request.url).pathname.startsWith("/v2") || response.status === 204) return response
    const text = await response.text()
    const json = parseJson(text)
    const status = random() < rate / 4 ? (pick([200, 202, 400, 404, 409, 500, 502]) ?? 200) : response.status
    return new Response(json === undefined ? text : JSON.stringify(bent(json)), { status, headers: response.headers })
  }
}
