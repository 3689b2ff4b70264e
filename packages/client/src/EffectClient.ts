import { Api, type Call } from "@carillon/api"
import { Context, Data, Duration, Effect, Layer, Option, type Schema, Stream } from "effect"
import type { HttpClient, HttpClientError } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { defaultAtMostMs, defaultEveryMs, leastEveryMs } from "./CallEnd.ts"
import type {
  AnswerOf,
  Arguments,
  Endpoint,
  GroupName,
  ItemOf,
  OperationName,
  RefusalOf,
  RequestOf,
} from "./Contract.ts"
import { type EffectClientOptions, sending } from "./EffectSending.ts"
import { unusableParam } from "./Repeating.ts"
import { forEveryOperation, isComplete, isPage, isPaged } from "./Tables.ts"

/** An identifier that would make another path of the path that it is put into. */
export class UnusableParam extends Data.TaggedError("UnusableParam")<{ readonly param: string }> {
  override get message(): string {
    return `'${this.param}' cannot be part of a path.`
  }
}

/** The call had not ended when the wait for its end was over. */
export class CallStillRunning extends Data.TaggedError("CallStillRunning")<{
  /** As it was read last. */
  readonly call: Call
}> {}

/** Why a request came to nothing where the service did not refuse it: it was not sent, no answer came, or none of the contract. */
export type ClientFailure = HttpClientError.HttpClientError | Schema.SchemaError | UnusableParam

type Failure<Group extends GroupName, Name extends OperationName<Group>> =
  | RefusalOf<Endpoint<Group, Name>>
  | ClientFailure

type Asked<Group extends GroupName, Name extends OperationName<Group>> = Arguments<RequestOf<Endpoint<Group, Name>>>

type Paged<Group extends GroupName, Name extends OperationName<Group>> = [ItemOf<Group, Name>] extends [never]
  ? unknown
  : {
      /** Every item of the page and of the pages after it, asked for as they are taken. */
      readonly stream: (...request: Asked<Group, Name>) => Stream.Stream<ItemOf<Group, Name>, Failure<Group, Name>>
    }

/** An operation of the contract, as a function. */
export type EffectOperation<Group extends GroupName, Name extends OperationName<Group>> = ((
  ...request: Asked<Group, Name>
) => Effect.Effect<AnswerOf<Endpoint<Group, Name>>, Failure<Group, Name>>) &
  Paged<Group, Name>

/** Every operation of the contract, by group and name. */
export type EffectOperations = {
  readonly [Group in GroupName]: { readonly [Name in OperationName<Group>]: EffectOperation<Group, Name> }
}

/** How the end of a call is waited for. */
export interface EffectEndOptions {
  /** Between one look and the next; default 2 seconds. */
  readonly every?: Duration.Input
  /** All waits together; default 30 minutes. */
  readonly atMost?: Duration.Input
}

/** The service, as seen by one API key. */
export interface EffectClient extends EffectOperations {
  /** Looks at a call until its status will never change. */
  readonly callEnd: (
    execution_id: string,
    options?: EffectEndOptions,
  ) => Effect.Effect<Call, Failure<"calls", "get"> | CallStillRunning>
}

interface RequestParts {
  readonly params?: object
  readonly query?: object
  readonly payload?: unknown
}

type Plain = (request?: RequestParts) => Effect.Effect<unknown, unknown>

/** Walks from page to page for as long as it is asked. The service refuses page 10,001, so it comes to an end. */
const streamOf =
  (operation: Plain) =>
  (request: RequestParts = {}): Stream.Stream<unknown, unknown> =>
    Stream.paginate(request, (asked) =>
      Effect.flatMap(operation(asked), (answer) => {
        if (!isPage(answer)) return Effect.die(new TypeError("What the contract calls a page is none."))
        const { data, pagination } = answer
        const next = { ...request, query: { ...request.query, page: pagination.page + 1 } }
        return Effect.succeed([data, pagination.has_more ? Option.some(next) : Option.none()] as const)
      }),
    )

const isPlain = (derived: unknown): derived is Plain => typeof derived === "function"

const isOperations = (made: Readonly<Record<string, object>>): made is EffectOperations => isComplete(made)

/** Adds to a function that the contract's client has what all of ours have: what may be left out, and identifiers that are some. */
const operationOf = (derived: unknown, operation: string): Plain => {
  if (!isPlain(derived)) throw new TypeError(`The contract has no ${operation}.`)
  const whole: Plain = (request = {}) => {
    const param = unusableParam(request.params)
    if (param !== null) return Effect.fail(new UnusableParam({ param }))
    return derived({ params: {}, query: {}, payload: {}, ...request })
  }
  return isPaged(operation) ? Object.assign(whole, { stream: streamOf(whole) }) : whole
}

/** Makes a client of the service: one function for every operation of the contract. */
export const makeClient = (options: EffectClientOptions): Effect.Effect<EffectClient, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const baseUrl = String(options.baseUrl).replace(/\/$/, "")
    const derived: Readonly<Record<string, object>> = yield* HttpApiClient.make(Api, { baseUrl }).pipe(
      Effect.provide(sending(options)),
    )
    const made = forEveryOperation((operation, group, name) =>
      operationOf(new Map<string, unknown>(Object.entries(derived[group] ?? {})).get(name), operation),
    )
    if (!isOperations(made)) return yield* Effect.die(new TypeError("An operation is missing."))

    const callEnd: EffectClient["callEnd"] = Effect.fnUntraced(function* (execution_id, end = {}) {
      const everyMs = Math.max(Duration.toMillis(end.every ?? defaultEveryMs), leastEveryMs)
      const atMostMs = Duration.toMillis(end.atMost ?? defaultAtMostMs)
      for (let waited = 0; ; waited += everyMs) {
        const call = yield* made.calls.get({ params: { execution_id } })
        if (call.is_terminal) return call
        if (waited + everyMs > atMostMs) return yield* new CallStillRunning({ call })
        yield* Effect.sleep(everyMs)
      }
    })

    return { ...made, callEnd }
  })

/** The client as a service. */
export class CarillonClient extends Context.Service<CarillonClient, EffectClient>()("@carillon/client/CarillonClient") {
  /** A client that sends with whatever `HttpClient` is there. */
  static readonly layer = (options: EffectClientOptions): Layer.Layer<CarillonClient, never, HttpClient.HttpClient> =>
    Layer.effect(CarillonClient, makeClient(options))
}
