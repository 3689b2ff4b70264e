import { Result } from "effect"
import { type InvalidField, Malformed } from "../../Errors.ts"
import { quotable } from "../../phone/E164.ts"
import { parseHeaders } from "./DeliveryHeaders.ts"
import { parseDestination } from "./Destination.ts"
import { defaultEventTypes, type EventType, eventTypeOf, eventTypes } from "./EventType.ts"
import { type DeliveryMethod, deliveryMethods, type Subscription } from "./Subscription.ts"

/** What a customer writes of a subscription; absent keys are absent. */
export interface SubscriptionBody {
  readonly callback_url?: string
  readonly method_type?: string | null
  readonly headers?: Readonly<Record<string, string>> | null
  readonly secret?: string | null
  readonly event_types?: ReadonlyArray<string> | null
  readonly enabled?: boolean
  readonly description?: string | null
}

/** A body after the rules; an absent URL is undefined. */
export type SubscriptionSettings = Pick<
  Subscription,
  "method_type" | "headers" | "secret" | "event_types" | "enabled" | "description"
> & { readonly callback_url: string | undefined }

const malformed = (message: string) => Result.fail(new Malformed({ message }))

/** Reads a delivery method; null is the default. */
export const readMethod = (text: string | null): Result.Result<DeliveryMethod, Malformed> => {
  const method = deliveryMethods.find((known) => known === (text ?? "POST"))
  return method === undefined
    ? malformed(`Invalid value for 'method_type': '${quotable(text ?? "")}'. Valid values are POST and PUT.`)
    : Result.succeed(method)
}

/** Reads one event type; null is the default. */
export const readEventType = (text: string | null): Result.Result<EventType, Malformed> => {
  const type = eventTypeOf(text ?? defaultEventTypes[0])
  return type === undefined
    ? malformed(`Unknown event type '${quotable(text ?? "")}'. Valid values are: ${eventTypes.join(", ")}.`)
    : Result.succeed(type)
}

/** Reads a list of event types, each once; none, or no list, is the default and never every event. */
export const readEventTypes = (
  list: ReadonlyArray<string> | null,
): Result.Result<ReadonlyArray<EventType>, Malformed> => {
  const types = new Set<EventType>()
  for (const text of list ?? []) {
    const type = readEventType(text)
    if (Result.isFailure(type)) return Result.fail(type.failure)
    types.add(type.success)
  }
  return Result.succeed(types.size === 0 ? defaultEventTypes : [...types])
}

/** Judges a URL by everything but a look-up. */
const readCallbackUrl = (text: string, allowed: ReadonlyArray<string>): Result.Result<string, Malformed> => {
  const judged = parseDestination(text, allowed)
  return Result.isFailure(judged) ? malformed(judged.failure) : Result.succeed(text)
}

/** Applies a body to what is stored, as a create does to the defaults. Headers and event types are replaced whole. */
export const readSettings = (
  body: SubscriptionBody,
  allowed: ReadonlyArray<string>,
  before?: Subscription,
): Result.Result<SubscriptionSettings, Malformed | InvalidField> =>
  Result.gen(function* () {
    const { callback_url, event_types, headers, method_type } = body
    return {
      callback_url: callback_url === undefined ? undefined : yield* readCallbackUrl(callback_url, allowed),
      method_type:
        method_type === undefined && before !== undefined ? before.method_type : yield* readMethod(method_type ?? null),
      headers: headers === undefined && before !== undefined ? before.headers : yield* parseHeaders(headers ?? {}),
      secret: body.secret === undefined ? (before?.secret ?? null) : body.secret,
      event_types:
        event_types === undefined && before !== undefined
          ? before.event_types
          : yield* readEventTypes(event_types ?? null),
      enabled: body.enabled ?? before?.enabled ?? true,
      description: body.description === undefined ? (before?.description ?? null) : body.description,
    }
  })
