/** A call as `/v2` shows it; of its fields those that are judged. */
export interface SeenCall {
  readonly execution_id: string
  readonly status: string
  readonly is_terminal: boolean
  readonly contact_id: string | null
  readonly to_number: string
  readonly retry_count: number
  readonly duration_seconds: number | null
  readonly cost: { readonly total: number }
  readonly error?: { readonly message: string }
  readonly created_at: string
  readonly completed_at: string | null
}

export interface SeenContact {
  readonly contact_id: string
  readonly to_number: string
  readonly status: string
  readonly attempts: number
}

export interface SeenStats {
  readonly total_contacts: number
  readonly contacts_dialled: number
  readonly outcome_counts: {
    readonly completed: number
    readonly failed: number
    readonly in_flight: number
    readonly pending: number
  }
  readonly total_call_attempts: number
}

export interface SeenUsage {
  readonly total_calls: number
  readonly total_duration_seconds: number
  readonly total_cost: number
  readonly status_counts: Readonly<Record<string, number>>
}

interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly total: number
}

const pageSize = 100
const answerMs = 30_000
const readAttempts = 5

/** Reads `/v2` as a customer does. */
export class Reader {
  readonly #base: string
  readonly #key: string

  constructor(base: string, key: string) {
    this.#base = base
    this.#key = key
  }

  /** Reads, and reads again where the answer took too long: how quick an engine is on a busy machine is not what is judged. */
  async #read(path: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#send("GET", path)
      } catch (error) {
        const isLate = error instanceof DOMException && error.name === "TimeoutError"
        if (!isLate || attempt === readAttempts) throw error
      }
    }
  }

  async #send(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(answerMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }

  async createCampaign(body: object): Promise<string> {
    const made: { readonly campaign_id: string } = JSON.parse(await this.#send("POST", "/v2/campaigns", body))
    return made.campaign_id
  }

  async stats(campaignId: string): Promise<SeenStats> {
    return JSON.parse(await this.#read(`/v2/campaigns/${campaignId}/stats`))
  }

  async usage(from: number): Promise<SeenUsage> {
    const dates = new URLSearchParams({ from_date: new Date(from).toISOString(), to_date: new Date().toISOString() })
    return JSON.parse(await this.#read(`/v2/usage?${dates.toString()}`))
  }

  async contacts(campaignId: string): Promise<ReadonlyArray<SeenContact>> {
    return this.#all((page) => this.#read(`/v2/campaigns/${campaignId}/contacts?page_size=${pageSize}&page=${page}`))
  }

  async calls(campaignId: string): Promise<ReadonlyArray<SeenCall>> {
    return this.#all((page) => this.#read(`/v2/calls?campaign_id=${campaignId}&page_size=${pageSize}&page=${page}`))
  }

  async #all<Item>(read: (page: number) => Promise<string>): Promise<ReadonlyArray<Item>> {
    const items: Array<Item> = []
    for (let page = 1; ; page += 1) {
      const { data, total }: Page<Item> = JSON.parse(await read(page))
      items.push(...data)
      if (items.length >= total || data.length === 0) return items
    }
  }
}
