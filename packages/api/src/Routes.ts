import { type Bucket, type Scope, ScopePolicy } from "@carillon/core/domain"
import { Context, type Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import {
  AcceptsIdempotencyKey,
  BodyBytes,
  EndpointOrigin,
  FieldAliases,
  GathersRows,
  NeedsContentLength,
  NullsAreMalformed,
  OptionalBody,
  type Origin,
  PublishedScope,
  RateLimitBucket,
  RequiredScope,
} from "./Annotations.ts"
import { Api } from "./Api.ts"

type Groups = (typeof Api)["groups"]

/** The name of an operation: group and endpoint, `calls.place`. */
export type RouteName = {
  [Group in keyof Groups]: `${Group}.${Extract<keyof Groups[Group]["endpoints"], string>}`
}[keyof Groups]

/** Reflection forgets the literal names that the type of the Api still has. */
const isRouteName = (name: string): name is RouteName =>
  Object.values(Api.groups).some((group) =>
    Object.keys(group.endpoints).some((endpoint) => name === `${group.identifier}.${endpoint}`),
  )

/** One route of the contract with everything that the pipeline needs to know about it. */
export interface Route {
  readonly name: RouteName
  readonly method: HttpApiEndpoint.Top["method"]
  /** As the specification writes it: `/v2/calls/{execution_id}`. */
  readonly path: string
  /** As routers write it: `/v2/calls/:execution_id`. */
  readonly pattern: string
  readonly bucket: Bucket
  /** Null: any valid key may call. */
  readonly scope: Scope | null
  /** The scope that lists the route but does not gate it yet. */
  readonly publishedScope: Scope | null
  readonly origin: Origin
  /** Whether `Idempotency-Key` is honoured. */
  readonly idempotent: boolean
  /** `none`: the route reads no body; `optional`: an empty one is as good as `{}`. */
  readonly body: "none" | "optional" | "required"
  /** The most bytes that its body may have. */
  readonly bodyBytes: number
  /** The statuses of its success forms. */
  readonly successStatuses: ReadonlyArray<number>
  /** Fields of the body in which an explicit null is malformed input (1000). */
  readonly nullsAreMalformed: ReadonlyArray<string>
  /** Names of the fields that its form may have; none where it takes no form. */
  readonly formFields: ReadonlySet<string>
  /** Names that fields of its form may have instead of their own. */
  readonly fieldAliases: Readonly<Record<string, string>>
  /** Whether a body without `Content-Length` is refused. */
  readonly needsContentLength: boolean
  /** Whether it answers by many rows: with a page of a list, or by all that a campaign has. */
  readonly gathersRows: boolean
  readonly endpoint: HttpApiEndpoint.Top
}

const fieldsOf = (schema: Schema.Top | undefined): ReadonlySet<string> =>
  new Set(
    schema !== undefined && SchemaAST.isObjects(schema.ast)
      ? schema.ast.propertySignatures.map(({ name }) => String(name))
      : [],
  )

const reflectRoutes = (): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes }) => {
      const name = `${group.identifier}.${endpoint.identifier}`
      if (!isRouteName(name)) return
      found.push({
        name,
        method: endpoint.method,
        path: endpoint.path.replace(/:(\w+)/g, "{$1}"),
        pattern: endpoint.path,
        bucket: Context.get(mergedAnnotations, RateLimitBucket),
        scope: Context.get(mergedAnnotations, RequiredScope),
        publishedScope: Context.get(mergedAnnotations, PublishedScope),
        origin: Context.get(mergedAnnotations, EndpointOrigin),
        idempotent: Context.get(mergedAnnotations, AcceptsIdempotencyKey),
        body:
          endpoint.payload.size === 0 ? "none" : Context.get(mergedAnnotations, OptionalBody) ? "optional" : "required",
        bodyBytes: Context.get(mergedAnnotations, BodyBytes),
        successStatuses: [...successes.keys()],
        nullsAreMalformed: Context.get(mergedAnnotations, NullsAreMalformed),
        formFields: fieldsOf(endpoint.payload.get("multipart/form-data")?.schemas[0]),
        fieldAliases: Context.get(mergedAnnotations, FieldAliases),
        needsContentLength: Context.get(mergedAnnotations, NeedsContentLength),
        gathersRows: fieldsOf(endpoint.query).has("page_size") || Context.get(mergedAnnotations, GathersRows),
        endpoint,
      })
    },
  })
  return found
}

/** Every route of the contract, derived once from the annotations of its endpoints. */
export const routes: ReadonlyArray<Route> = reflectRoutes()

/** The routes that each scope opens, or will open, as `METHOD /path` (`GET /v2/scopes`). */
export const routesByScope: ReadonlyMap<Scope, ReadonlyArray<string>> = new Map(
  ScopePolicy.scopes.map((scope) => [
    scope,
    routes
      .filter((route) => route.scope === scope || route.publishedScope === scope)
      .map((route) => `${route.method} ${route.path}`),
  ]),
)
