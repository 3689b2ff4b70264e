import * as fc from "fast-check"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { agentName } from "../../trial/Agents.ts"
import { expectModel, explore } from "../../trial/Exploration.ts"

interface Agent {
  readonly agentId: string
  status: string
  version: number
  summary: string | null
}

interface Model {
  readonly agents: Array<Agent>
}

interface Real {
  readonly client: Client
  readonly name: () => string
}

const moves: Readonly<Record<string, ReadonlyArray<string>>> = {
  DRAFT: ["ACTIVE", "INACTIVE", "ARCHIVED"],
  ACTIVE: ["INACTIVE"],
  INACTIVE: ["ACTIVE", "ARCHIVED"],
  ARCHIVED: [],
}

const agentAt = (model: Model, index: number): Agent => {
  const agent = model.agents[index % model.agents.length]
  if (agent === undefined) throw new Error("no agent to choose from")
  return agent
}

class Create implements fc.AsyncCommand<Model, Real> {
  check = () => true

  async run(model: Model, { client, name }: Real): Promise<void> {
    const answer = await client.post("/v2/agents", { display_name: name() })
    expectModel("create", answer.status === 201 && answer.at("status") === "DRAFT", `create answered ${answer.text}`)
    expectModel("version", answer.at("version") === 2, `version ${String(answer.at("version"))} after create`)
    model.agents.push({ agentId: answer.string("agent_id"), status: "DRAFT", version: 2, summary: null })
  }

  toString = () => "create"
}

class Move implements fc.AsyncCommand<Model, Real> {
  readonly #index: number
  readonly #to: string

  constructor(index: number, to: string) {
    this.#index = index
    this.#to = to
  }

  check = (model: Readonly<Model>) => model.agents.length > 0 && agentAt(model, this.#index).status !== this.#to

  async run(model: Model, { client }: Real): Promise<void> {
    const agent = agentAt(model, this.#index)
    const answer = await client.patch(`/v2/agents/${agent.agentId}`, { status: this.#to })
    const allowed = moves[agent.status]?.includes(this.#to) === true
    const told = `${agent.status} to ${this.#to} answered ${answer.status}`
    expectModel("moves", answer.status === (allowed ? 200 : 409), told)
    if (!allowed) return
    agent.status = this.#to
    agent.version += 1
    // What an update answers is not shown; a version that it tells is the agent's.
    const version = answer.at("version")
    if (version !== undefined)
      expectModel("version", version === agent.version, `${answer.text} after a move to version ${agent.version}`)
  }

  toString = () => `move ${this.#index} to ${this.#to}`
}

class Edit implements fc.AsyncCommand<Model, Real> {
  readonly #index: number
  readonly #summary: string

  constructor(index: number, summary: string) {
    this.#index = index
    this.#summary = summary
  }

  check = (model: Readonly<Model>) => model.agents.length > 0

  async run(model: Model, { client }: Real): Promise<void> {
    const agent = agentAt(model, this.#index)
    const answer = await client.patch(`/v2/agents/${agent.agentId}`, { summary: this.#summary })
    const allowed = agent.status === "DRAFT" || agent.status === "INACTIVE"
    expectModel("editing", answer.status === (allowed ? 200 : 409), `editing ${agent.status} answered ${answer.status}`)
    if (!allowed) return
    agent.summary = this.#summary
    agent.version += 1
  }

  toString = () => `edit ${this.#index}`
}

class Read implements fc.AsyncCommand<Model, Real> {
  check = (model: Readonly<Model>) => model.agents.length > 0

  async run(model: Model, { client }: Real): Promise<void> {
    for (const agent of model.agents) {
      const answer = await client.get(`/v2/agents/${agent.agentId}`)
      const told = `${agent.agentId} reads ${answer.text}`
      expectModel("moves", answer.at("status") === agent.status, told)
      expectModel("version", answer.at("version") === agent.version, told)
      expectModel("editing", answer.at("summary") === agent.summary, told)
    }
  }

  toString = () => "read all"
}

const index = fc.nat({ max: 5 })

const agents: Case = {
  id: "model/agents",
  title: "Random sequences of creating, moving and editing agents go as a small model says",
  clauses: ["AGENT-CREATE-4", "AGENT-RESPONSE-4", "AGENT-STATUS-P2", "AGENT-STATUS-7"],
  requires: ["fixtures"],
  run: (trial) =>
    explore<Model, Real>(trial, {
      topics: {
        create: "AGENT-CREATE-4",
        version: "AGENT-RESPONSE-4",
        moves: "AGENT-STATUS-P2",
        editing: "AGENT-STATUS-7",
      },
      commands: [
        fc.constant(new Create()),
        fc.tuple(index, fc.constantFrom("DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED")).map(([at, to]) => new Move(at, to)),
        fc.tuple(index, fc.string({ minLength: 1, maxLength: 20 })).map(([at, summary]) => new Edit(at, summary)),
        fc.constant(new Read()),
      ],
      setup: async () => {
        const { client } = await trial.organization()
        return { model: { agents: [] }, real: { client, name: () => agentName(trial) } }
      },
      sequences: 10,
      maxCommands: 25,
    }),
}

export const agentModelCases: ReadonlyArray<Case> = [agents]
