import { type EventType, type Json, limits } from "@carillon/core"
import { deliveryMaxAttempts, eventTypes, WebhookSignature } from "@carillon/core/domain"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { eventMoments, EventPayload } from "./Events.ts"
import { examples } from "./ExampleData.ts"
import type { ErrorName } from "./Examples.ts"
import { meaningOf } from "./Meanings.ts"
import { type Route, routes } from "./Routes.ts"

/** A JSON schema as the document carries it. */
export interface DocumentSchema {
  readonly [keyword: string]: unknown
}

/** An example, or where it stands. */
export type DocumentExample = { readonly value: Json } | { readonly $ref: string }

/** A body of one content type. */
export interface DocumentMedia {
  readonly schema: DocumentSchema
  readonly examples?: Readonly<Record<string, DocumentExample>>
}

/** A parameter of an operation. */
export interface DocumentParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: DocumentSchema
  readonly style?: "form"
  readonly explode?: false
  readonly description?: unknown
  readonly "x-origin"?: unknown
}

/** A response of an operation. */
export interface DocumentResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, DocumentMedia>>
}

/** An operation with the annotations of its endpoint. */
export interface DocumentOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly "x-bucket": string
  readonly "x-scope": string | null
  readonly "x-origin": string
  readonly parameters: ReadonlyArray<DocumentParameter>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, DocumentMedia>>
  }
  readonly responses: Readonly<Record<string, DocumentResponse>>
}

/** An event as the endpoint of a subscription receives it. */
export interface DocumentWebhook {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly security: readonly []
  readonly parameters: ReadonlyArray<DocumentParameter>
  readonly requestBody: {
    readonly required: true
    readonly content: { readonly "application/json": DocumentMedia }
  }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** The OpenAPI 3.1 document of the contract. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApi.OpenAPISpecInfo & { readonly contact: { readonly name: string } }
  readonly servers: ReadonlyArray<OpenApi.OpenAPISpecServer>
  readonly tags: ReadonlyArray<OpenApi.OpenAPISpecTag>
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentWebhook }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentSchema>>
    readonly securitySchemes: OpenApi.OpenAPIComponents["securitySchemes"]
    readonly headers: Readonly<Record<string, unknown>>
    readonly examples: Readonly<Record<string, { readonly value: Json }>>
  }
}

const generation: OpenApi.FromApiOptions = { includeAnnotationKey: (key) => key.startsWith("x-") }

const responseHeaders = {
  "X-RateLimit-Limit": {
    description: "Ceiling of the operation's bucket, in requests per minute.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": {
    description: "Requests left by the estimate of the sliding window.",
    schema: { type: "integer", minimum: 0 },
  },
  "X-RateLimit-Reset": {
    description: "Seconds until the window rolls: a duration, not a moment.",
    schema: { type: "integer", minimum: 0 },
  },
  "X-Request-Id": {
    description: "Names the request in logs; a sane one of the client's is echoed.",
    schema: { type: "string" },
    "x-origin": "chosen",
  },
  "Retry-After": { description: "Seconds after which to try again.", schema: { type: "integer", minimum: 1 } },
  "Idempotent-Replayed": {
    description: "`true` on the repetition of an answer that an Idempotency-Key had before.",
    schema: { type: "string", enum: ["true"] },
    "x-origin": "chosen",
  },
  Location: { description: "Where the stored audio is.", schema: { type: "string", format: "uri" } },
} as const

const headersOf = (status: number, idempotent: boolean): DocumentResponse["headers"] => {
  const names: Array<keyof typeof responseHeaders> = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
  ]
  if (status === 429 || status === 409) names.push("Retry-After")
  if (status < 300 && idempotent) names.push("Idempotent-Replayed")
  if (status === 302) names.push("Location")
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const idempotencyKey: DocumentParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key and body give the same answer again for 24 hours; another body is refused with 1201.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  "x-origin": "chosen",
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Where schemas with a name stand. */
const components = "#/components/schemas/"

/**
 * Says in the fewest words what the generator says: what it puts beside a schema as `allOf` stands in the schema itself, and bounds of
 * safe integers are left out. An object whose other fields mean something, or that names none, says `additionalProperties`; the others
 * are open all the same, because unknown fields are ignored. A list of anything says so.
 */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isRecord(value)) return value
  const { "x-document": document, ...around } = value
  if (isRecord(document)) return plain({ ...document, ...around })
  const { allOf, additionalProperties, ...rest } = value
  const told = Array.isArray(allOf) ? allOf.filter(isRecord) : []
  // What stands in the document's own words stands for the type that only carries it.
  if (told.some((member) => "x-document" in member))
    return plain(told.reduce((all, member) => ({ ...all, ...member }), {}))
  const out: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(rest)) {
    // Few validators read patterns as Unicode; the others would refuse what is right. The words of the field say the same.
    if (key === "pattern" && typeof member === "string" && member.includes("\\p{")) continue
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(member)) === Number.MAX_SAFE_INTEGER) continue
    out[key] = key === "$ref" && typeof member === "string" ? member.replace("#/$defs/", components) : plain(member)
  }
  if (out["type"] === "number" && Array.isArray(out["enum"]) && out["enum"].every(Number.isInteger)) {
    out["type"] = "integer"
  }
  if (out["type"] === "array" && !("items" in out) && !("prefixItems" in out)) out["items"] = {}
  if (out["type"] === "object" && additionalProperties !== false) {
    const named = isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0
    out["additionalProperties"] = named ? plain(additionalProperties) : true
  }
  const beside: Array<unknown> = []
  for (const member of Array.isArray(allOf) ? allOf.map(plain) : []) {
    const fits = isRecord(member) && Object.keys(member).every((key) => !(key in out) || out[key] === member[key])
    if (fits) Object.assign(out, member)
    else beside.push(member)
  }
  return beside.length === 0 ? out : { ...out, allOf: beside }
}

const plainSchema = (schema: object): DocumentSchema => {
  const out = plain(schema)
  return isRecord(out) ? out : {}
}

/** A schema with what its fields mean, where they do not say it themselves. */
const withMeanings = (value: unknown, path: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) return value.map((member) => withMeanings(member, path))
  if (!isRecord(value)) return value
  const out = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === "properties" ? member : withMeanings(member, path)]),
  )
  if (!isRecord(value["properties"])) return out
  const fields = Object.entries(value["properties"]).map(([name, field]) => {
    const here = [...path, name]
    const whole = withMeanings(field, here)
    const description = meaningOf(here)
    return [name, isRecord(whole) && description !== undefined ? { description, ...whole } : whole] as const
  })
  return { ...out, properties: Object.fromEntries(fields) }
}

const componentSchema = (name: string, schema: DocumentSchema): DocumentSchema => {
  const out = withMeanings(schema, [name])
  return isRecord(out) ? out : {}
}

/** How a list stands in a query: in one parameter, which must not be repeated. */
const joinedByCommas = { style: "form", explode: false } as const

/** The query as people read it: integers and booleans, not the strings that carry them. */
const queryParameters = (route: Route): ReadonlyArray<DocumentParameter> => {
  if (route.endpoint.query === undefined) return []
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(route.endpoint.query), generation)
  const properties = plainSchema(schema)["properties"]
  if (!isRecord(properties)) return []
  return Object.entries(properties).map(([name, property]) => {
    const { description, "x-origin": origin, ...type } = isRecord(property) ? property : {}
    return {
      name,
      in: "query",
      required: false,
      ...(description === undefined ? {} : { description }),
      ...(type["type"] === "array" ? joinedByCommas : {}),
      schema: type,
      ...(origin === undefined ? {} : { "x-origin": origin }),
    }
  })
}

const plainContent = (content: OpenApi.OpenApiSpecContent) =>
  Object.entries(content).map(([type, media]) => [type, plainSchema(media.schema)] as const)

const requestContent = (route: Route, content: OpenApi.OpenApiSpecContent): Readonly<Record<string, DocumentMedia>> =>
  Object.fromEntries(
    plainContent(content).map(([type, schema]) => {
      const value = examples.operations[route.name]?.request[type]
      return [type, value === undefined ? { schema } : { schema, examples: { request: { value } } }]
    }),
  )

/** Whose example stands for an error wherever an operation has none of its own. */
const isErrorName = (name: string): name is ErrorName => name in examples.errors

/** The examples of the errors that a schema allows. */
const errorExamples = (schema: DocumentSchema): Readonly<Record<string, DocumentExample>> => {
  const members = Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [schema]
  const names = members.map(({ $ref }) => String($ref).replace(components, "")).filter(isErrorName)
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]))
}

const responseContent = (
  route: Route,
  status: string,
  content: OpenApi.OpenApiSpecContent,
): Readonly<Record<string, DocumentMedia>> =>
  Object.fromEntries(
    plainContent(content).map(([type, schema]) => {
      const own = Object.entries(examples.operations[route.name]?.responses[status] ?? {})
      const shown = Object.fromEntries(own.map(([name, value]) => [name, { value }]))
      return [type, { schema, examples: { ...errorExamples(schema), ...shown } }]
    }),
  )

const operationOf = (route: Route, operation: OpenApi.OpenAPISpecOperation): DocumentOperation => ({
  operationId: operation.operationId,
  ...(operation.summary === undefined ? {} : { summary: operation.summary }),
  ...(operation.description === undefined ? {} : { description: operation.description }),
  tags: operation.tags,
  security: operation.security,
  "x-bucket": route.bucket,
  "x-scope": route.scope,
  "x-origin": route.origin,
  parameters: [
    ...operation.parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => ({
        name: parameter.name,
        in: "path" as const,
        required: true,
        schema: plainSchema(parameter.schema),
      })),
    ...queryParameters(route),
    ...(route.idempotent ? [idempotencyKey] : []),
  ],
  ...(operation.requestBody === undefined
    ? {}
    : {
        requestBody: {
          required: route.body === "required",
          content: requestContent(route, operation.requestBody.content),
        },
      }),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      {
        description: response.description.split(" | ").join(" Or: "),
        headers: headersOf(Number(status), route.idempotent),
        ...(response.content === undefined ? {} : { content: responseContent(route, status, response.content) }),
      },
    ]),
  ),
})

/** The name of the component that describes an event: `CallCompletedEvent`. */
export const eventName = (type: EventType): string =>
  [...type.split("_"), "event"].map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

const eventSchemas = (): Readonly<Record<string, DocumentSchema>> => {
  const { definitions } = Schema.toJsonSchemaDocument(EventPayload, generation)
  const named = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, plainSchema(schema)]))
  const fields = named["EventPayload"]?.["properties"]
  const correction = isRecord(fields) ? fields["correction"] : undefined
  const events = eventTypes.map((type) => {
    const event_type = { type: "string", enum: [type] }
    // Generators need a field beside the word that requires it.
    const properties = type === "call_corrected" ? { event_type, correction } : { event_type }
    const own = { type: "object", properties, required: Object.keys(properties) }
    return [
      eventName(type),
      { description: eventMoments[type], allOf: [{ $ref: `${components}EventPayload` }, own] },
    ] as const
  })
  return { ...named, ...Object.fromEntries(events) }
}

export const eventHeaders: ReadonlyArray<DocumentParameter> = [
  {
    name: WebhookSignature.deliveryIdHeaderName,
    in: "header",
    required: true,
    description: "Names the delivery, for support; the same on all of its attempts. Deduplicate on `event_id`.",
    schema: { type: "string" },
  },
  {
    name: WebhookSignature.signatureHeaderName,
    in: "header",
    required: false,
    description:
      "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.` and the raw body. Left out where neither the subscription nor the organization has a secret.",
    schema: { type: "string", pattern: "^t=[0-9]+,v1=[0-9a-f]{64}$" },
  },
]

const webhookOf = (type: EventType): DocumentWebhook => ({
  operationId: `events.${type}`,
  summary: `Event ${type}`,
  description: `${eventMoments[type]} A subscription may ask for PUT instead of POST.`,
  tags: ["webhooks"],
  security: [],
  parameters: eventHeaders,
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: { $ref: components + eventName(type) },
        examples: { event: { value: examples.events[type] } },
      },
    },
  },
  responses: {
    "2XX": { description: `The event is received. An answer counts within ${limits.webhookAttemptMs / 1000} seconds.` },
    default: { description: `The event is sent again, at most ${deliveryMaxAttempts} times in about two minutes.` },
  },
})

/**
 * The OpenAPI 3.1 document of the contract. Operations carry `x-bucket`, `x-scope` and `x-origin`; fields that were chosen where the
 * specification is silent carry `x-origin: chosen`.
 */
export const openApiDocument = (options?: {
  /** Where the API is served; by default the origin that serves the document. */
  readonly servers?: ReadonlyArray<OpenApi.OpenAPISpecServer>
}): OpenApiDocument => {
  const spec = OpenApi.fromApi(Api, generation)
  const paths: Record<string, Record<string, DocumentOperation>> = {}
  for (const route of routes) {
    const operations = new Map(Object.entries(spec.paths[route.path] ?? {}))
    const method = route.method.toLowerCase()
    const operation = operations.get(method)
    if (operation === undefined || !("operationId" in operation)) continue
    paths[route.path] = { ...paths[route.path], [method]: operationOf(route, operation) }
  }
  return {
    openapi: spec.openapi,
    info: { ...spec.info, contact: { name: "Carillon" } },
    servers: options?.servers ?? [{ url: "/" }],
    tags: spec.tags,
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type) }])),
    components: {
      schemas: Object.fromEntries(
        [
          ...Object.entries(spec.components.schemas).map(([name, schema]) => [name, plainSchema(schema)] as const),
          ...Object.entries(eventSchemas()),
        ]
          .map(([name, schema]) => [name, componentSchema(name, schema)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
      securitySchemes: spec.components.securitySchemes,
      headers: responseHeaders,
      examples: Object.fromEntries(Object.entries(examples.errors).map(([name, value]) => [name, { value }])),
    },
  }
}
