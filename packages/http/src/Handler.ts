import type { Api, RouteName } from "@carillon/api"
import type { Caller, EngineError } from "@carillon/core"
import type { Effect } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Written } from "./AnswerPieces.ts"

type Groups = (typeof Api)["groups"]

type EndpointOf<Name extends RouteName> = Name extends `${infer Group}.${infer Endpoint}`
  ? Group extends keyof Groups
    ? Endpoint extends keyof Groups[Group]["endpoints"]
      ? Groups[Group]["endpoints"][Endpoint]
      : never
    : never
  : never

type RequestOf<Name extends RouteName> = HttpApiEndpoint.Request<EndpointOf<Name>>

/** The operations that change something; a question to a knowledge base, or of numbers, is sent as a body and changes nothing. */
export type WriteName = Exclude<
  { [Name in RouteName]: EndpointOf<Name>["method"] extends "GET" ? never : Name }[RouteName],
  "knowledge.query" | "suppressions.check" | "calleeHours.check"
>

/** What a handler gets: the caller and the decoded parts that the contract declares. */
export type Incoming<Name extends RouteName> = { readonly caller: Caller } & Pick<
  RequestOf<Name>,
  Extract<keyof RequestOf<Name>, "params" | "query" | "payload">
>

/**
 * What a handler answers: a body as the contract declares it, or as it was written already, nothing at all, the text of an answer that is kept, or
 * the place to be redirected to.
 */
export type Reply =
  | { readonly status: number; readonly text: string; readonly replayed: boolean }
  | { readonly status: 200 | 201 | 202; readonly body: object }
  | { readonly status: number; readonly written: Written }
  | { readonly status: 204 }
  | { readonly status: 302; readonly location: string }

/** The handler of one operation. */
export type Handler<Name extends RouteName> = (incoming: Incoming<Name>) => Effect.Effect<Reply, EngineError>

/** The handlers of one group of the contract. */
export type HandlersOf<Group extends keyof Groups> = {
  readonly [Name in Extract<RouteName, `${Group}.${string}`>]: Handler<Name>
}

/** A handler for every operation of the contract. */
export type Handlers = { readonly [Name in RouteName]: Handler<Name> }
