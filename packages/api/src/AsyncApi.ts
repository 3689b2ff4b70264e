import type { EventType, Json } from "@carillon/core"
import { eventTypes } from "@carillon/core/domain"
import { eventMoments } from "./Events.ts"
import { examples } from "./ExampleData.ts"
import { type DocumentSchema, eventHeaders, eventName, openApiDocument } from "./OpenApi.ts"

interface Reference {
  readonly $ref: string
}

/** An event as AsyncAPI describes it. */
export interface AsyncApiMessage {
  readonly name: EventType
  readonly title: string
  readonly summary: string
  readonly contentType: "application/json"
  readonly headers: DocumentSchema
  readonly payload: Reference
  readonly examples: ReadonlyArray<{ readonly name: string; readonly payload: Json }>
}

/** The AsyncAPI 3 document of the events. */
export interface AsyncApiDocument {
  readonly asyncapi: "3.1.0"
  readonly id: string
  readonly info: Readonly<Record<string, unknown>>
  readonly defaultContentType: "application/json"
  readonly channels: {
    readonly events: {
      /** Null: the address is the `callback_url` of a subscription. */
      readonly address: null
      readonly title: string
      readonly description: string
      readonly messages: Readonly<Record<string, Reference>>
    }
  }
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentSchema>>
    readonly messages: { readonly [type in EventType]?: AsyncApiMessage }
  }
}

const headers: DocumentSchema = {
  type: "object",
  properties: Object.fromEntries(
    eventHeaders.map(({ description, name, schema }) => [name, { description, ...schema }]),
  ),
  required: eventHeaders.filter(({ required }) => required).map(({ name }) => name),
}

const messageOf = (type: EventType): AsyncApiMessage => ({
  name: type,
  title: `Event ${type}`,
  summary: eventMoments[type],
  contentType: "application/json",
  headers,
  payload: { $ref: `#/components/schemas/${eventName(type)}` },
  examples: [{ name: type, payload: examples.events[type] }],
})

/** The names of the schemas that a value refers to. */
const referredIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].flatMap(([, name]) => name ?? [])

/** The schemas with these names, and all that they refer to. */
const schemasOf = (names: ReadonlyArray<string>): Readonly<Record<string, DocumentSchema>> => {
  const { schemas } = openApiDocument().components
  const needed = new Set<string>()
  const need = (name: string) => {
    if (needed.has(name)) return
    needed.add(name)
    referredIn(schemas[name] ?? {}).forEach(need)
  }
  names.forEach(need)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name)))
}

/** The AsyncAPI 3 document of the events that subscriptions receive, from the schemas of the OpenAPI document. */
export const asyncApiDocument = (): AsyncApiDocument => {
  const { info } = openApiDocument()
  return {
    asyncapi: "3.1.0",
    id: "urn:carillon:events:v2",
    info: {
      title: info.title,
      version: info.version,
      description: "The events of calls, as webhooks receive them.",
      contact: info.contact,
      ...(info.license === undefined ? {} : { license: { name: info.license.name } }),
      tags: [{ name: "webhooks" }],
    },
    defaultContentType: "application/json",
    channels: {
      events: {
        address: null,
        title: "Events",
        description: "The `callback_url` of a webhook subscription, as `POST /v2/webhooks` takes it.",
        messages: Object.fromEntries(eventTypes.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
      },
    },
    operations: Object.fromEntries(
      eventTypes.map((type) => [
        type,
        {
          action: "send",
          channel: { $ref: "#/channels/events" },
          title: `Event ${type}`,
          summary: eventMoments[type],
          description: "A subscription may ask for PUT instead of POST.",
          bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
          messages: [{ $ref: `#/channels/events/messages/${type}` }],
        },
      ]),
    ),
    components: {
      schemas: schemasOf(eventTypes.map(eventName)),
      messages: Object.fromEntries(eventTypes.map((type) => [type, messageOf(type)])),
    },
  }
}
