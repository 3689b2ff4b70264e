import { Schema } from "effect"

const Asked = Schema.fromJsonString(Schema.Struct({ key: Schema.String, to: Schema.String }))

interface VendorCall {
  readonly id: string
  readonly key: string
  readonly state: string
  readonly at: number
  readonly seconds: number
}

interface Leg {
  call: VendorCall
  /** What comes next, and when; the first is next. */
  plan: ReadonlyArray<readonly [at: number, state: string]>
  answeredAt: number | null
}

type Plan = ReadonlyArray<readonly [afterMs: number, state: string]>

const over = new Set(["completed", "busy", "no-answer", "failed", "canceled"])
const hour = 3_600_000

const answered: Plan = [
  [1_000, "ringing"],
  [5_000, "talking"],
  [20_000, "completed"],
]
const talking: Plan = [
  [1_000, "ringing"],
  [5_000, "talking"],
  [2 * hour, "completed"],
]
const ending = (state: string): Plan => [
  [1_000, "ringing"],
  [9_000, state],
]

const json = (status: number, body: object) => new Response(JSON.stringify(body), { status })

const refusals: { readonly [ending: string]: () => Response } = {
  "05": () => json(402, { error: "no_funds" }),
  "06": () => json(403, { error: "forbidden" }),
  "07": () => json(422, { error: "bad_number" }),
  "08": () => new Response(null, { status: 429, headers: { "retry-after": "3" } }),
}

/** A stand-in of the vendor: its API, its callbacks, and a clock that only the tests move. */
export class FarEnd {
  now = Date.UTC(2026, 0, 5, 9)
  /** How many legs were made under a key. */
  readonly made = new Map<string, number>()
  readonly #legs = new Map<string, Leg>()
  readonly #callback: (request: Request) => Promise<Response>

  constructor(callback: (request: Request) => Promise<Response>) {
    this.#callback = callback
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const key = new URL(request.url).pathname.split("/")[2]
    if (key === undefined) return this.#dial(Schema.decodeUnknownSync(Asked)(await request.text()))
    const leg = this.#legs.get(key)
    if (leg === undefined) return json(404, {})
    if (request.method === "DELETE" && !over.has(leg.call.state)) leg.plan = [[this.now + 200, "canceled"]]
    return json(200, leg.call)
  }

  /** Whether a leg has come so far, or is over. */
  isAt(key: string, state: string): boolean {
    const leg = this.#legs.get(key)
    return leg === undefined || leg.call.state === state || over.has(leg.call.state)
  }

  /** Goes on to the next thing that happens, and calls back; false when nothing does by then. */
  async step(by = Number.POSITIVE_INFINITY): Promise<boolean> {
    const [leg] = [...this.#legs.values()]
      .filter(({ plan }) => plan.length > 0)
      .sort((a, b) => (a.plan[0]?.[0] ?? 0) - (b.plan[0]?.[0] ?? 0))
    const [next, ...rest] = leg?.plan ?? []
    if (leg === undefined || next === undefined || next[0] > by) return false
    const [at, state] = next
    this.now = Math.max(this.now, at)
    leg.plan = rest
    if (state === "talking") leg.answeredAt = at
    const seconds = leg.answeredAt === null ? 0 : (at - leg.answeredAt) / 1000
    leg.call = { ...leg.call, state, at, seconds }
    const headers = { "x-callback-secret": "whisper" }
    await this.#callback(
      new Request("http://host.test/vendor/calls", { method: "POST", headers, body: JSON.stringify(leg.call) }),
    )
    return true
  }

  #dial({ key, to }: typeof Asked.Type): Response {
    const before = this.#legs.get(key)
    const refused = refusals[to.slice(-2)]
    if (refused !== undefined) return refused()
    if (before === undefined) this.#make(key, to)
    if (to.endsWith("02")) throw new TypeError("The connection was reset.")
    return json(201, this.#legs.get(key)?.call ?? {})
  }

  #make(key: string, to: string): void {
    const plans: { readonly [ending: string]: Plan } = {
      "01": talking,
      "02": talking,
      "03": ending("busy"),
      "04": ending("no-answer"),
    }
    const plan = (plans[to.slice(-2)] ?? answered).map(([after, state]) => [this.now + after, state] as const)
    this.made.set(key, (this.made.get(key) ?? 0) + 1)
    this.#legs.set(key, {
      call: { id: `CA${this.made.size}`, key, state: "queued", at: this.now, seconds: 0 },
      plan,
      answeredAt: null,
    })
  }
}
