/**
 * What a run makes in an organization that is not its own, and takes away again at its end. With fixtures every case has
 * an organization of its own, and there is nothing to take away.
 */
import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { NoAnswer } from "../http/Wire.ts"

type Request = readonly [method: "POST" | "DELETE", path: string]

/** A kind of thing that a route makes, and the requests that take one away. */
interface Kind {
  readonly made: RegExp
  readonly id: string
  readonly away: (id: string, answer: Answer, path: string) => ReadonlyArray<Request>
}

const collectionOf = (answer: Answer, path: string): string =>
  /^\/v2\/knowledge-bases\/[^/]+/.exec(path)?.[0] ?? `/v2/knowledge-bases/${answer.string("collection")}`

const kinds: ReadonlyArray<Kind> = [
  { made: /^\/v2\/calls$/, id: "execution_id", away: (id) => [["POST", `/v2/calls/${id}/stop`]] },
  { made: /^\/v2\/agents(\/[^/]+\/clone)?$/, id: "agent_id", away: (id) => [["DELETE", `/v2/agents/${id}`]] },
  {
    made: /^\/v2\/campaigns$/,
    id: "campaign_id",
    away: (id) => [
      ["POST", `/v2/campaigns/${id}/cancel`],
      ["DELETE", `/v2/campaigns/${id}`],
    ],
  },
  {
    made: /^\/v2\/(batches(\/upload)?|campaigns\/[^/]+\/contacts)$/,
    id: "batch_id",
    away: (id) => [["POST", `/v2/batches/${id}/stop`]],
  },
  { made: /^\/v2\/webhooks$/, id: "subscription_id", away: (id) => [["DELETE", `/v2/webhooks/${id}`]] },
  { made: /^\/v2\/api-keys$/, id: "key_id", away: (id) => [["DELETE", `/v2/api-keys/${id}`]] },
  {
    made: /^\/v2\/knowledge-bases(\/[^/]+\/documents)?$/,
    id: "document_id",
    away: (id, answer, path) => [["DELETE", `${collectionOf(answer, path)}/documents/${id}`]],
  },
  { made: /^\/v2\/phone-numbers$/, id: "phone_number_id", away: (id) => [["DELETE", `/v2/phone-numbers/${id}`]] },
  { made: /^\/v2\/providers$/, id: "provider_name", away: (id) => [["DELETE", `/v2/providers/${id}`]] },
  { made: /^\/v2\/inbound-agents$/, id: "inbound_agent_id", away: (id) => [["DELETE", `/v2/inbound-agents/${id}`]] },
]

/** Gone, or never there; what has ended (409) need not be stopped. */
const isAway = (method: string, { status }: Answer): boolean =>
  (status >= 200 && status < 300) || status === 404 || (method === "POST" && status === 409)

/** Remembers what is made by the answers of a run. */
export class Leftovers {
  /** By the last of the requests that take a thing away. */
  readonly #made = new Map<string, ReadonlyArray<Request>>()

  /** Takes note of what an answer says was made. */
  observe(method: string, path: string, answer: Answer): void {
    if (!answer.succeeded) return
    if (method === "DELETE") this.#made.delete(`DELETE ${path}`)
    if (method !== "POST") return
    const kind = kinds.find(({ made }) => made.test(path))
    const id = kind === undefined ? "" : answer.string(kind.id)
    if (kind === undefined || id === "") return
    const away = kind.away(id, answer, path)
    this.#made.set((away.at(-1) ?? []).join(" "), away)
  }

  /** Takes everything away, the last made first; the requests that did not do it, with what was answered. */
  async remove(client: Client): Promise<ReadonlyArray<string>> {
    const left: Array<string> = []
    for (const requests of [...this.#made.values()].reverse()) {
      for (const [method, path] of requests) {
        const refusal = await refusalOf(client, method, path)
        if (refusal !== undefined) left.push(refusal)
      }
    }
    this.#made.clear()
    return left
  }
}

const refusalOf = async (client: Client, method: string, path: string): Promise<string | undefined> => {
  try {
    const answer = await client.send(method, path)
    return isAway(method, answer) ? undefined : `${method} ${path}: ${answer.status} ${answer.message}`
  } catch (error) {
    if (error instanceof NoAnswer) return error.message
    throw error
  }
}
