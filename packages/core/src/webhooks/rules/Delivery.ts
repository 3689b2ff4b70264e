import { limits } from "../../Limits.ts"
import { nextAttemptAt } from "./DeliverySchedule.ts"
import type { ErrorClass } from "./ErrorClass.ts"
import type { EventType } from "./EventType.ts"
import type { DeliveryMethod } from "./Subscription.ts"
import type { WebhookAnswer } from "./WebhookRequest.ts"

export const deliveryStatuses = ["pending", "retrying", "delivered", "failed"] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** One attempt as the ledger keeps it: never a body. Times are epoch milliseconds. */
export interface DeliveryAttempt {
  readonly attempt: number
  readonly started_at: number
  readonly duration_ms: number
  readonly http_status: number | null
  readonly error_class: ErrorClass | null
}

/** One event on its way to one endpoint: a row of the delivery ledger. It exists before the first byte is sent. */
export interface Delivery {
  readonly delivery_id: string
  readonly organization_id: string
  readonly revision: number
  readonly event_id: string
  readonly event_type: EventType
  /** Null: the URL on the agent itself. */
  readonly subscription_id: string | null
  /** What its subscription was when it was made, as far as its maker knew: never later. Null with the subscription. Rows of earlier versions do not say it. */
  readonly subscription_revision?: number | null
  readonly agent_id: string
  readonly execution_id: string
  /** What the event's body takes in UTF-8. Rows of earlier versions do not say it. */
  readonly body_bytes?: number
  readonly status: DeliveryStatus
  /** What the last attempt was sent with; null before the first. */
  readonly callback_host: string | null
  readonly method_type: DeliveryMethod | null
  readonly signed: boolean
  readonly error_message: string | null
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  /** The attempt that is under way, and when it counts as lost. */
  readonly sending: { readonly started_at: number; readonly lost_at: number } | null
  readonly first_attempt_at: number | null
  /** When to look next; null once delivered or failed. */
  readonly due_at: number | null
  readonly created_at: number
  readonly expires_at: number
}

/** What an attempt goes out as, decided at send time. */
export interface Dispatch {
  readonly callback_host: string
  readonly method_type: DeliveryMethod
  readonly signed: boolean
}

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly http_status: number | null
  readonly error_class: ErrorClass | null
  readonly error_message: string | null
}

/** What an attempt makes of its delivery; or somebody else was faster, and theirs stands. */
export type AttemptEnd = DeliveryStatus | "overtaken"

const messages: Readonly<Record<Exclude<ErrorClass, "http_error">, string>> = {
  dns_error: "The host name could not be resolved.",
  timeout: "The endpoint did not answer in time.",
  connect_error: "The endpoint could not be connected to.",
  tls_error: "No secure connection to the endpoint could be made.",
}

/** What the ledger says of a transport's answer: any 2xx acknowledges, anything else does not. */
export const outcomeOf = (answer: WebhookAnswer): AttemptOutcome => {
  switch (answer._tag) {
    case "Answered": {
      const { http_status } = answer
      return http_status >= 200 && http_status < 300
        ? { http_status, error_class: null, error_message: null }
        : { http_status, error_class: "http_error", error_message: `The endpoint answered ${http_status}.` }
    }
    case "Failed":
      return { http_status: null, error_class: answer.error_class, error_message: messages[answer.error_class] }
    case "Refused":
      return { http_status: null, error_class: "connect_error", error_message: "The destination is not allowed." }
  }
}

/** An attempt whose process was lost: nobody knows whether the endpoint got it. */
export const lostAttempt: AttemptOutcome = {
  http_status: null,
  error_class: "timeout",
  error_message: "The attempt was cut off before its outcome was known.",
}

export const isFinished = ({ status }: Pick<Delivery, "status">): boolean =>
  status === "delivered" || status === "failed"

/** The bytes of memory that an attempt is granted: where its row does not say them, what a row may have at most. */
export const bodyBytesOf = ({ body_bytes = limits.rowBytes }: Pick<Delivery, "body_bytes">): number => body_bytes

/** A delivery as it is first written. */
export const newDelivery = (
  identity: Pick<
    Delivery,
    | "delivery_id"
    | "organization_id"
    | "event_id"
    | "event_type"
    | "subscription_id"
    | "subscription_revision"
    | "agent_id"
    | "execution_id"
  > & { readonly body_bytes: number },
  now: number,
): Delivery => ({
  ...identity,
  revision: 1,
  status: "pending",
  callback_host: null,
  method_type: null,
  signed: false,
  error_message: null,
  attempts: [],
  sending: null,
  first_attempt_at: null,
  due_at: now,
  created_at: now,
  expires_at: now + limits.ledgerRetentionMs,
})

/** The delivery with an attempt begun. Until `lost_at` nobody else begins one. */
export const begun = (delivery: Delivery, dispatch: Dispatch, now: number): Delivery => {
  const lost_at = now + limits.webhookAttemptMs + limits.webhookLeaseSlackMs
  return {
    ...delivery,
    ...dispatch,
    sending: { started_at: now, lost_at },
    first_attempt_at: delivery.first_attempt_at ?? now,
    due_at: lost_at,
  }
}

/** The delivery after the attempt under way has ended: delivered, to be tried again, or given up. */
export const ended = (
  delivery: Delivery,
  sending: NonNullable<Delivery["sending"]>,
  outcome: AttemptOutcome,
  now: number,
): Delivery => {
  const { http_status, error_class, error_message } = outcome
  const attempt: DeliveryAttempt = {
    attempt: delivery.attempts.length + 1,
    started_at: sending.started_at,
    duration_ms: Math.max(0, now - sending.started_at),
    http_status,
    error_class,
  }
  const attempts = [...delivery.attempts, attempt]
  const due_at =
    error_class === null ? null : nextAttemptAt(attempts.length, delivery.first_attempt_at ?? sending.started_at, now)
  return {
    ...delivery,
    status: error_class === null ? "delivered" : due_at === null ? "failed" : "retrying",
    error_message,
    attempts,
    sending: null,
    due_at,
  }
}

/** The delivery, given up without a further attempt. */
export const givenUp = (delivery: Delivery, error_message: string): Delivery => ({
  ...delivery,
  status: "failed",
  error_message,
  sending: null,
  due_at: null,
})
