import type { Call, ErrorCode } from "@carillon/api"
import { errorCodes } from "./Operations.ts"

/** The service refused. `code` says why and is stable; the message is for people and may change. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly code: ErrorCode
  readonly status: number
  /** How long the service asks to wait before it is asked again; null where it does not say. */
  readonly retryAfterMs: number | null
  /** What the service calls the request; null where it does not say. */
  readonly requestId: string | null

  constructor(refusal: {
    readonly code: ErrorCode
    readonly message: string
    readonly status: number
    readonly retryAfterMs: number | null
    readonly requestId: string | null
  }) {
    super(refusal.message)
    this.code = refusal.code
    this.status = refusal.status
    this.retryAfterMs = refusal.retryAfterMs
    this.requestId = refusal.requestId
  }
}

/** No answer came. What was asked may have been done all the same; `cause` is what the platform says. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

/** An answer that the contract does not know, such as the page of a proxy. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer"
  readonly status: number
  /** How its body begins. */
  readonly body: string

  constructor(operation: string, status: number, body: string) {
    super(`${operation} was answered with ${status} and no body of the contract.`)
    this.status = status
    this.body = body.slice(0, 200)
  }
}

/** The call had not ended when the wait for its end was over. */
export class CallStillRunning extends Error {
  override readonly name = "CallStillRunning"
  /** As it was read last. */
  readonly call: Call

  constructor(call: Call) {
    super(`The call has not ended yet (status=${call.status}).`)
    this.call = call
  }
}

/** The body of a refusal, as the contract has it. */
interface Envelope {
  readonly error: ErrorCode
  readonly message: string
}

/** Whether a body is the contract's error envelope. */
export const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === "object" &&
  body !== null &&
  "error" in body &&
  Object.values<unknown>(errorCodes).includes(body.error) &&
  "message" in body &&
  typeof body.message === "string"
