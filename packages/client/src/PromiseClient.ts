import type { Call } from "@carillon/api"
import { defaultAtMostMs, defaultEveryMs, leastEveryMs } from "./CallEnd.ts"
import type { AnswerOf, Arguments, Endpoint, GroupName, IsKeyed, ItemOf, OperationName, RequestOf } from "./Contract.ts"
import { CallStillRunning, UnexpectedAnswer } from "./PromiseErrors.ts"
import {
  type CallOptions,
  type ClientOptions,
  type KeyedCallOptions,
  platformSleep,
  type RequestParts,
  sender,
} from "./PromiseRequest.ts"
import { forEveryOperation, isComplete, isPage, isPaged } from "./Tables.ts"

/** A page that is on its way, and with `for await` every item of it and of the pages after it. */
export interface Pages<Page, Item> extends Promise<Page>, AsyncIterable<Item> {}

type Result<Answer, Item> = [Item] extends [never] ? Promise<Answer> : Pages<Answer, Item>

/** An operation of the contract, as a function. */
export type Operation<Group extends GroupName, Name extends OperationName<Group>> = (
  ...args: Arguments<
    RequestOf<Endpoint<Group, Name>>,
    [options?: IsKeyed<Group, Name> extends true ? KeyedCallOptions : CallOptions]
  >
) => Result<AnswerOf<Endpoint<Group, Name>>, ItemOf<Group, Name>>

/** Every operation of the contract, by group and name. */
export type Operations = {
  readonly [Group in GroupName]: { readonly [Name in OperationName<Group>]: Operation<Group, Name> }
}

/** How the end of a call is waited for. */
export interface EndOptions extends CallOptions {
  /** Between one look and the next; default 2 seconds. */
  readonly everyMs?: number
  /** All waits together; default 30 minutes. */
  readonly atMostMs?: number
}

/** The service, as seen by one API key. */
export interface Client extends Operations {
  /** Looks at a call until its status will never change. Throws `CallStillRunning` when it has waited long enough. */
  readonly callEnd: (execution_id: string, options?: EndOptions) => Promise<Call>
}

/** Walks from page to page for as long as it is asked. The service refuses page 10,001, so it comes to an end. */
async function* walk(
  operation: string,
  first: Promise<unknown>,
  turn: (page: number) => Promise<unknown>,
): AsyncGenerator<unknown> {
  for (let answer = await first; ;) {
    if (!isPage(answer)) throw new UnexpectedAnswer(operation, 200, JSON.stringify(answer))
    yield* answer.data
    if (!answer.pagination.has_more) return
    answer = await turn(answer.pagination.page + 1)
  }
}

type Plain = (request?: RequestParts, options?: KeyedCallOptions) => Promise<unknown>

const isOperations = (made: Readonly<Record<string, object>>): made is Operations => isComplete(made)

/** Makes a client of the service: one function for every operation of the contract. */
export const createClient = (options: ClientOptions): Client => {
  const send = sender(options)
  const sleep = options.sleep ?? platformSleep

  const functionOf = (operation: string): Plain => {
    if (!isPaged(operation)) return async (request = {}, call = {}) => send(operation, request, call)
    return (request = {}, call = {}) => {
      const turn = (page: number) => send(operation, { ...request, query: { ...request.query, page } }, call)
      const first = send(operation, request, call)
      return Object.assign(first, { [Symbol.asyncIterator]: () => walk(operation, first, turn) })
    }
  }

  const made = forEveryOperation(functionOf)
  if (!isOperations(made)) throw new TypeError("An operation is missing.")

  const callEnd = async (execution_id: string, end: EndOptions = {}): Promise<Call> => {
    const everyMs = Math.max(end.everyMs ?? defaultEveryMs, leastEveryMs)
    const atMostMs = end.atMostMs ?? defaultAtMostMs
    for (let waited = 0; ; waited += everyMs) {
      const call = await made.calls.get({ params: { execution_id } }, end)
      if (call.is_terminal) return call
      if (waited + everyMs > atMostMs) throw new CallStillRunning(call)
      await sleep(everyMs, end.signal)
    }
  }

  return { ...made, callEnd }
}
