/** What is known of an organization that is asked for something. */
export interface Asked {
  readonly agentIds: ReadonlyArray<string>
  readonly campaignIds: ReadonlyArray<string>
  readonly executionIds: ReadonlyArray<string>
}

/** A request of `/v2`. */
export interface Request {
  readonly method: "GET" | "POST"
  readonly target: string
  readonly body?: object
}

/** Something that customers ask for, as the nth of its kind. */
export interface Question {
  readonly name: string
  readonly request: (asked: Asked, nth: number) => Request
}

const dayMs = 24 * 60 * 60 * 1_000

const ago = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()

const get = (target: string): Request => ({ method: "GET", target })

const list = (query: string) => (): Request => get(`/v2/calls${query === "" ? "" : `?${query}`}`)

const listOf = (field: "agentIds" | "campaignIds", parameter: string) => (asked: Asked, nth: number) =>
  list(`${parameter}=${asked[field][nth % 4]}`)()

/** What is asked of an organization, whatever its size. */
export const questions: ReadonlyArray<Question> = [
  { name: "GET a call", request: ({ executionIds }, nth) => get(`/v2/calls/${executionIds[nth % 40]}`) },
  { name: "list, all", request: list("") },
  { name: "list, page 100", request: list("page=100") },
  { name: "list, of a status", request: list("status=no-answer") },
  { name: "list, of an agent", request: listOf("agentIds", "agent_id") },
  { name: "list, of a campaign", request: listOf("campaignIds", "campaign_id") },
  { name: "list, to a number", request: list("to_number=%2B12120000100") },
  { name: "list, outbound", request: list("direction=outbound") },
  { name: "list, of a day", request: () => list(`from_date=${ago(3)}&to_date=${ago(2)}`)() },
  { name: "list, of a month", request: () => list(`from_date=${ago(31)}&to_date=${ago(1)}`)() },
  { name: "usage of a month", request: () => get(`/v2/usage?from_date=${ago(31)}&to_date=${ago(0)}`) },
  { name: "stats of a campaign", request: ({ campaignIds }) => get(`/v2/campaigns/${campaignIds[0]}/stats`) },
  {
    // Nobody answers, so nothing of it is still to come once it has ended.
    name: "POST a call",
    request: ({ agentIds }) => ({
      method: "POST",
      target: "/v2/calls",
      body: { agent_id: agentIds[0], to_number: "+16465550149" },
    }),
  },
]
