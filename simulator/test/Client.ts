import { Simulator, type SimulatorOptions } from "../src/Simulator.ts"

/** What the tests read of bodies; a field that an answer has not is undefined, whatever its type says. */
export interface Body {
  readonly [field: string]: unknown
  readonly error: number
  readonly message: string
  readonly execution_id: string
  readonly status: string
  readonly summary: string | null
  readonly extracted_data: object
  readonly cost: { readonly total: number; readonly breakdown: Readonly<Record<string, number>> }
  readonly duration_seconds: number
  readonly now: string
  readonly clock: { readonly now: string }
  readonly next_due: string | null
  readonly events: number
  readonly reached: boolean
  readonly waiting: ReadonlyArray<{ readonly request_id: string; readonly path: string; readonly since: string }>
  readonly organization_id: string
  readonly phone_numbers: ReadonlyArray<string>
  readonly keys: ReadonlyArray<{ readonly key: string; readonly key_id: string }>
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly peak_live: number
  readonly violations: ReadonlyArray<{ readonly name: string; readonly detail: string }>
  readonly checked: ReadonlyArray<{ readonly name: string; readonly checks: number }>
}

/** An answer, with its JSON read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

/** What the tests do to a simulator, all of it over its public surface. */
export class Client {
  readonly simulator: Simulator
  key: string

  constructor(simulator: Simulator) {
    this.simulator = simulator
    this.key = simulator.info.key
  }

  static async start(options: SimulatorOptions = {}): Promise<Client> {
    return new Client(await Simulator.start({ clock: "manual", ...options }))
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const request = new Request(`http://simulator.test${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const response = await this.simulator.fetch(request)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: response.headers.get("content-type") === "application/json" ? JSON.parse(text) : {},
    }
  }

  get = (path: string) => this.send("GET", path)
  post = (path: string, body?: unknown) => this.send("POST", path, body)
  put = (path: string, body: unknown) => this.send("PUT", path, body)
  patch = (path: string, body: unknown) => this.send("PATCH", path, body)

  dial(to_number: string, rest: object = {}): Promise<Answer> {
    return this.post("/v2/calls", { agent_id: this.simulator.info.agent_id, to_number, ...rest })
  }

  /** Dials and lets time pass until the dial is answered, which may take virtual time. */
  async dialThrough(to_number: string, rest: object = {}): Promise<Answer> {
    let answered = false
    const dial = this.dial(to_number, rest).then((answer) => {
      answered = true
      return answer
    })
    while (!answered) {
      const { body } = await this.get("/_sim/clock")
      if (answered || body.waiting.length === 0) continue
      await this.post("/_sim/clock/advance", { by_ms: 1_000 })
    }
    return dial
  }

  async call(executionId: string, query = ""): Promise<Body> {
    return (await this.get(`/v2/calls/${executionId}${query}`)).body
  }

  async advance(goal: object): Promise<Body> {
    return (await this.post("/_sim/clock/advance", goal)).body
  }

  idle(): Promise<Body> {
    return this.advance({ until_idle: true })
  }

  async violations(): Promise<Body["violations"]> {
    return (await this.get("/_sim/invariants")).body.violations
  }

  async legs(query: Record<string, string> = {}): Promise<Body> {
    return (await this.get(`/_sim/telephony/legs?${new URLSearchParams(query)}`)).body
  }
}
