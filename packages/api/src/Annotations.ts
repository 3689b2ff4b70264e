import { limits } from "@carillon/core"
import type { Bucket, Scope } from "@carillon/core/domain"
import { Context, Schema } from "effect"

/** Whether the specification states something or whether it was chosen where the specification is silent. */
export type Origin = "specified" | "chosen"

/** Endpoint annotation: the bucket that a request counts in. */
export const RateLimitBucket = Context.Reference<Bucket>("@carillon/api/Annotations/RateLimitBucket", {
  defaultValue: () => "default",
})

/** Endpoint annotation: the scope that a key needs; null means that any valid key may call. */
export const RequiredScope = Context.Reference<Scope | null>("@carillon/api/Annotations/RequiredScope", {
  defaultValue: () => null,
})

/** Endpoint annotation: a scope that `GET /v2/scopes` lists the endpoint under ahead of its enforcement. */
export const PublishedScope = Context.Reference<Scope | null>("@carillon/api/Annotations/PublishedScope", {
  defaultValue: () => null,
})

/** Endpoint annotation: where the endpoint comes from. */
export const EndpointOrigin = Context.Reference<Origin>("@carillon/api/Annotations/EndpointOrigin", {
  defaultValue: () => "specified",
})

/** Endpoint annotation: the endpoint honours `Idempotency-Key`, an extension of ours. */
export const AcceptsIdempotencyKey = Context.Reference<boolean>("@carillon/api/Annotations/AcceptsIdempotencyKey", {
  defaultValue: () => false,
})

/**
 * Endpoint annotation: fields of the body in which an explicit null is malformed input (1000) where any other wrong type is a
 * validation failure (1001).
 */
export const NullsAreMalformed = Context.Reference<ReadonlyArray<string>>(
  "@carillon/api/Annotations/NullsAreMalformed",
  {
    defaultValue: () => [],
  },
)

/** Endpoint annotation: the body may be left out altogether. */
export const OptionalBody = Context.Reference<boolean>("@carillon/api/Annotations/OptionalBody", {
  defaultValue: () => false,
})

/** Describes a field of a schema in the OpenAPI document. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** Marks a field as our choice where the specification is silent: `x-origin: chosen` in the OpenAPI document. */
export const chosen = <S extends Schema.Top>(schema: S, description?: string): S["Rebuild"] =>
  schema.annotateKey({ ...(description === undefined ? {} : { description }), "x-origin": "chosen" })

/** Endpoint annotation: names that fields of a form may have instead of their own. */
export const FieldAliases = Context.Reference<Readonly<Record<string, string>>>(
  "@carillon/api/Annotations/FieldAliases",
  { defaultValue: () => ({}) },
)

/** Endpoint annotation: a body without `Content-Length` is refused (1000/411). */
export const NeedsContentLength = Context.Reference<boolean>("@carillon/api/Annotations/NeedsContentLength", {
  defaultValue: () => false,
})

/** Endpoint annotation: it answers by many rows, as the page of a list does, and is made in one of the places of its organization's pages. */
export const GathersRows = Context.Reference<boolean>("@carillon/api/Annotations/GathersRows", {
  defaultValue: () => false,
})

/** Endpoint annotation: the most bytes that a request body may have. */
export const BodyBytes = Context.Reference<number>("@carillon/api/Annotations/BodyBytes", {
  defaultValue: () => limits.bodyBytes,
})

/** A word of a closed list, as the OpenAPI document describes it where the engine judges it and not the schema. */
export const wordOf = (words: ReadonlyArray<string>) => ({ type: "string", enum: words })

/** What the OpenAPI document says of a field that the schema only looks at from outside. */
export const documentedAs = <S extends Schema.Top>(schema: S, document: object): S["Rebuild"] =>
  schema.annotateKey({ "x-document": document })
