import { agent } from "../shapes/Agent.ts"
import { call } from "../shapes/Call.ts"
import {
  canceledCall,
  placedCall,
  recording,
  scheduledCall,
  stoppedCall,
  unconfirmedCall,
} from "../shapes/CallAnswer.ts"
import { batch, campaign, campaignStats } from "../shapes/Campaign.ts"
import { identity, scopeObject } from "../shapes/Identity.ts"
import { keyRecord } from "../shapes/KeyRecord.ts"
import { knowledgeDeletion, uploadEntry, uploadResult } from "../shapes/KnowledgeBase.ts"
import { list } from "../shapes/List.ts"
import { type Field, misfit, type Shape } from "../shapes/Shape.ts"
import { timing } from "../shapes/Timing.ts"
import type { Answer } from "../http/Answer.ts"
import { type Observation, type Rule } from "./Rule.ts"

/** Where the resources of a shape stand in the answers of a route. */
interface Place {
  readonly shape: Shape
  readonly method: string
  readonly path: RegExp
  readonly status: number
  /** Tells apart answers of one route and status. */
  readonly when?: (answer: Answer) => boolean
  /** Resources are the rows of a list instead of the body. */
  readonly rows?: boolean
}

const isUnconfirmed = (answer: Answer): boolean => answer.at("dispatch") !== undefined

const places: ReadonlyArray<Place> = [
  { shape: identity, method: "GET", path: /^\/v2\/user\/me$/, status: 200 },
  { shape: scopeObject, method: "GET", path: /^\/v2\/scopes$/, status: 200 },
  { shape: keyRecord, method: "GET", path: /^\/v2\/api-keys$/, status: 200, rows: true },
  { shape: agent, method: "GET", path: /^\/v2\/agents$/, status: 200, rows: true },
  { shape: agent, method: "POST", path: /^\/v2\/agents$/, status: 201 },
  { shape: agent, method: "GET", path: /^\/v2\/agents\/[^/]+$/, status: 200 },
  { shape: call, method: "GET", path: /^\/v2\/calls$/, status: 200, rows: true },
  { shape: call, method: "GET", path: /^\/v2\/calls\/[^/]+$/, status: 200 },
  { shape: call, method: "GET", path: /^\/v2\/(agents|batches)\/[^/]+\/executions$/, status: 200, rows: true },
  { shape: placedCall, method: "POST", path: /^\/v2\/calls$/, status: 201 },
  {
    shape: scheduledCall,
    method: "POST",
    path: /^\/v2\/calls$/,
    status: 202,
    when: (answer) => !isUnconfirmed(answer),
  },
  { shape: unconfirmedCall, method: "POST", path: /^\/v2\/calls$/, status: 202, when: isUnconfirmed },
  { shape: canceledCall, method: "POST", path: /^\/v2\/calls\/[^/]+\/stop$/, status: 200 },
  { shape: stoppedCall, method: "POST", path: /^\/v2\/calls\/[^/]+\/stop$/, status: 202 },
  { shape: recording, method: "GET", path: /^\/v2\/calls\/[^/]+\/recording$/, status: 200 },
  { shape: timing, method: "GET", path: /^\/v2\/calls\/[^/]+\/timing$/, status: 200 },
  { shape: campaign, method: "POST", path: /^\/v2\/campaigns$/, status: 201 },
  { shape: campaign, method: "GET", path: /^\/v2\/campaigns$/, status: 200, rows: true },
  { shape: campaign, method: "GET", path: /^\/v2\/campaigns\/[^/]+$/, status: 200 },
  { shape: campaign, method: "PATCH", path: /^\/v2\/campaigns\/[^/]+$/, status: 200 },
  { shape: campaign, method: "POST", path: /^\/v2\/campaigns\/[^/]+\/(pause|resume|revive)$/, status: 200 },
  { shape: campaignStats, method: "GET", path: /^\/v2\/campaigns\/[^/]+\/stats$/, status: 200 },
  { shape: batch, method: "POST", path: /^\/v2\/batches(\/upload)?$/, status: 201 },
  { shape: batch, method: "GET", path: /^\/v2\/batches\/[^/]+$/, status: 200 },
  { shape: batch, method: "POST", path: /^\/v2\/batches\/[^/]+\/(schedule|stop|pause)$/, status: 200 },
  { shape: batch, method: "POST", path: /^\/v2\/batches\/[^/]+\/resume$/, status: 202 },
  { shape: batch, method: "GET", path: /^\/v2\/(campaigns\/[^/]+\/)?batches$/, status: 200, rows: true },
  { shape: uploadResult, method: "POST", path: /^\/v2\/knowledge-bases(\/[^/]+\/documents)?$/, status: 201 },
  { shape: uploadEntry, method: "GET", path: /^\/v2\/knowledge-bases\/[^/]+\/documents$/, status: 200, rows: true },
  {
    shape: knowledgeDeletion,
    method: "DELETE",
    path: /^\/v2\/knowledge-bases\/[^/]+(\/documents\/[^/]+)?$/,
    status: 200,
  },
  { shape: list, method: "GET", path: /^\/v2\/knowledge-bases\/[^/]+\/documents$/, status: 200 },
  { shape: list, method: "GET", path: /^\/v2\/(api-keys|agents|calls|campaigns|batches)$/, status: 200 },
  {
    shape: list,
    method: "GET",
    path: /^\/v2\/campaigns\/[^/]+\/(batches|contacts)$/,
    status: 200,
    // What these answer is not shown; rows under the name of those of all lists are a list.
    when: (answer) => answer.at("data") !== undefined,
  },
  { shape: list, method: "GET", path: /^\/v2\/(agents|batches)\/[^/]+\/executions$/, status: 200 },
]

/** The resources of an answer by shape, found once for all the rules that ask. */
const found = new WeakMap<Observation, ReadonlyMap<Shape, ReadonlyArray<unknown>>>()

const find = ({ method, path, answer }: Observation): ReadonlyMap<Shape, ReadonlyArray<unknown>> => {
  const resources = new Map<Shape, ReadonlyArray<unknown>>()
  for (const place of places) {
    if (place.method !== method || place.status !== answer.status || !place.path.test(path)) continue
    if (place.when?.(answer) !== false) resources.set(place.shape, place.rows === true ? answer.items() : [answer.json])
  }
  return resources
}

const resourcesOf = (shape: Shape, observation: Observation): ReadonlyArray<unknown> => {
  let resources = found.get(observation)
  if (resources === undefined) {
    resources = find(observation)
    found.set(observation, resources)
  }
  return resources.get(shape) ?? []
}

const ruleFor = (shape: Shape, field: Field): Rule => ({
  id: `${shape.name}/${field.path}`,
  clauses: field.clauses,
  judge: (observation) => {
    const resources = resourcesOf(shape, observation)
    if (resources.length === 0) return undefined
    for (const resource of resources) {
      const breach = misfit(resource, field)
      if (breach !== undefined) return breach
    }
    return null
  },
})

const shapes = [...new Set(places.map(({ shape }) => shape))]

/** One rule for each field that the specification gives a resource. */
export const shapeRules: ReadonlyArray<Rule> = shapes.flatMap((shape) =>
  shape.fields.map((field) => ruleFor(shape, field)),
)
