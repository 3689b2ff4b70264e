import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { type Route, routes } from "./Routes.ts"

/** A JSON schema as the document carries it. */
export interface DocumentSchema {
  readonly [keyword: string]: unknown
}

/** A parameter of an operation. */
export interface DocumentParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: DocumentSchema
  readonly description?: unknown
  readonly "x-origin"?: unknown
}

/** A response of an operation. */
export interface DocumentResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, { readonly schema: DocumentSchema }>>
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
    readonly content: Readonly<Record<string, { readonly schema: DocumentSchema }>>
  }
  readonly responses: Readonly<Record<string, DocumentResponse>>
}

/** The OpenAPI 3.1 document of the contract. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApi.OpenAPISpecInfo
  readonly servers: ReadonlyArray<OpenApi.OpenAPISpecServer>
  readonly tags: ReadonlyArray<OpenApi.OpenAPISpecTag>
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentSchema>>
    readonly securitySchemes: OpenApi.OpenAPIComponents["securitySchemes"]
    readonly headers: Readonly<Record<string, unknown>>
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

/**
 * Says in the fewest words what the generator says: what it puts beside a schema as `allOf` stands in the schema itself, bounds of
 * safe integers are left out, and objects are open, because unknown fields are ignored.
 */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isRecord(value)) return value
  const { "x-document": document, ...around } = value
  if (isRecord(document)) return plain({ ...document, ...around })
  const { allOf, additionalProperties, ...rest } = value
  const out: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(rest)) {
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(member)) === Number.MAX_SAFE_INTEGER) continue
    out[key] = plain(member)
  }
  if (out["type"] === "number" && Array.isArray(out["enum"]) && out["enum"].every(Number.isInteger)) {
    out["type"] = "integer"
  }
  if (isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0) {
    out["additionalProperties"] = plain(additionalProperties)
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
      schema: type,
      ...(origin === undefined ? {} : { "x-origin": origin }),
    }
  })
}

const plainContent = (content: OpenApi.OpenApiSpecContent) =>
  Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { schema: plainSchema(media.schema) }]))

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
          content: plainContent(operation.requestBody.content),
        },
      }),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      {
        description: response.description.split(" | ").join(" Or: "),
        headers: headersOf(Number(status), route.idempotent),
        ...(response.content === undefined ? {} : { content: plainContent(response.content) }),
      },
    ]),
  ),
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
    info: spec.info,
    servers: options?.servers ?? [{ url: "/" }],
    tags: spec.tags,
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(spec.components.schemas)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, schema]) => [name, plainSchema(schema)]),
      ),
      securitySchemes: spec.components.securitySchemes,
      headers: responseHeaders,
    },
  }
}
