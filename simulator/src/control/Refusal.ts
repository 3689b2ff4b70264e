import { type ErrorCode, httpStatus, invalidValueMessage, missingParameterMessage } from "@carillon/api"

/** A control request that is answered with the error envelope. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return httpStatus(this.code)
  }
}

export const invalid = (field: string, reason: string): Refusal => new Refusal(1001, invalidValueMessage(field, reason))

export const missing = (field: string): Refusal => new Refusal(1002, missingParameterMessage(field))

export const malformed = (message: string): Refusal => new Refusal(1000, message)

export const notFound = (message: string): Refusal => new Refusal(1200, message)

export const conflict = (message: string): Refusal => new Refusal(1201, message)

export const unauthorized = (message: string): Refusal => new Refusal(1100, message)
