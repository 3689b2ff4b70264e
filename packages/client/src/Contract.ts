import type { Api } from "@carillon/api"
import type { Brand } from "effect/Brand"
import type { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import type { operations } from "./Operations.ts"

type Groups = (typeof Api)["groups"]

/** The name of a group of operations, such as `calls`. */
export type GroupName = keyof Groups

/** The name of an operation within its group, such as `place`. */
export type OperationName<Group extends GroupName> = Extract<keyof Groups[Group]["endpoints"], string>

/** The endpoint of the contract behind an operation. */
export type Endpoint<Group extends GroupName, Name extends OperationName<Group>> = Extract<
  Groups[Group]["endpoints"][Name],
  HttpApiEndpoint.ConstraintRequest
>

/** A part of a request: absent where the endpoint has none, optional where nothing in it is required. */
type Part<Key extends string, Value> = [Value] extends [never]
  ? unknown
  : object extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value }

/** What a body is written as: a form stays a form, everything else is JSON. */
type Payload<Value> = Value extends Brand<HttpApiSchema.MultipartTypeId> ? FormData : Value

/** What an operation is asked with: the identifiers of its path, its query, its body. */
export type RequestOf<E extends HttpApiEndpoint.ConstraintRequest> = Part<"params", E["~Params"]["Type"]> &
  Part<"query", E["~Query"]["Type"]> &
  Part<"payload", Payload<E["~Payload"]["Type"]>>

/** What an operation answers. */
export type AnswerOf<E extends HttpApiEndpoint.ConstraintRequest> = E["~Success"]["Type"]

/** The error classes that an operation may answer with. */
export type RefusalOf<E extends HttpApiEndpoint.ConstraintRequest> = HttpApiEndpoint.Errors<E>

type Traits<Group extends GroupName, Name extends OperationName<Group>> = (typeof operations)[Group][Name &
  keyof (typeof operations)[Group]]

/** True of an operation that honours `Idempotency-Key`. */
export type IsKeyed<Group extends GroupName, Name extends OperationName<Group>> =
  Traits<Group, Name> extends `${string} keyed` ? true : false

/** What the pages of an operation list; never for one that answers no pages. */
export type ItemOf<Group extends GroupName, Name extends OperationName<Group>> =
  Traits<Group, Name> extends `${string} paged`
    ? AnswerOf<Endpoint<Group, Name>> extends { readonly data: ReadonlyArray<infer Item> }
      ? Item
      : never
    : never

/** The arguments of an operation: the request, which may be left out where nothing in it is required, and what comes after. */
export type Arguments<Request, Rest extends ReadonlyArray<unknown> = []> = object extends Request
  ? [request?: Request, ...rest: Rest]
  : [request: Request, ...rest: Rest]
