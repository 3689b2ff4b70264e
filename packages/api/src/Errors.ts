import { ErrorReporter, Schema } from "effect"

/**
 * Every public error code with the HTTP statuses it comes with (specification, "Errors"). The first is the status of the code,
 * the others are those of a body without length, too large, or of a refused type.
 */
export const errorStatuses = {
  1000: [400, 411, 413, 415],
  1001: [422],
  1002: [400],
  1100: [401],
  1101: [401],
  1102: [403],
  1200: [404],
  1201: [409],
  1300: [429],
  1400: [402],
  1500: [500],
  1501: [503],
  1502: [504],
} as const

/** A public error code. Stable; clients branch on it and never on the message. */
export type ErrorCode = keyof typeof errorStatuses

/** The HTTP status that a code alone decides. */
export const httpStatus = (code: ErrorCode): number => errorStatuses[code][0]

/** The body of every 4xx and 5xx under `/v2`. */
export interface ErrorBody {
  readonly error: ErrorCode
  /** One sentence that ends in a period. */
  readonly message: string
}

/** The one message of code 1500: an unhandled exception tells nothing of itself. */
export const unexpectedErrorMessage = "An unexpected error occurred."

/** The message of code 1001. */
export const invalidValueMessage = (field: string, reason: string): string => `Invalid value for '${field}': ${reason}.`

/** The message of code 1002. */
export const missingParameterMessage = (name: string): string => `Missing required parameter '${name}'.`

// The name is that of the component in the OpenAPI document.
const envelope = <Code extends ErrorCode>(identifier: string, code: Code) =>
  Schema.Struct({ error: Schema.tag(code), message: Schema.String }).annotate({ identifier })

/** 1000/400: malformed or contradictory input that no schema could reject. */
export class Malformed extends Schema.Error<Malformed>("Malformed")(envelope("Malformed", 1000), {
  httpApiStatus: 400,
  description: "Malformed or contradictory input the schema could not reject.",
}) {
  readonly _tag = "Malformed"
  override readonly [ErrorReporter.ignore] = true
}

/** 1000/411: an upload without `Content-Length`. */
export class LengthRequired extends Schema.Error<LengthRequired>("LengthRequired")(envelope("LengthRequired", 1000), {
  httpApiStatus: 411,
  description: "The request needs a Content-Length.",
}) {
  readonly _tag = "LengthRequired"
  override readonly [ErrorReporter.ignore] = true
}

/** 1000/413: a body over its size limit. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  envelope("PayloadTooLarge", 1000),
  {
    httpApiStatus: 413,
    description: "The body is over its size limit.",
  },
) {
  readonly _tag = "PayloadTooLarge"
  override readonly [ErrorReporter.ignore] = true
}

/** 1000/415: a file of a type that is not allowed. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  envelope("UnsupportedMediaType", 1000),
  {
    httpApiStatus: 415,
    description: "The file type is not allowed.",
  },
) {
  readonly _tag = "UnsupportedMediaType"
  override readonly [ErrorReporter.ignore] = true
}

/** 1001/422: a field is present and wrong; the message names the first one. */
export class ValidationFailed extends Schema.Error<ValidationFailed>("ValidationFailed")(
  envelope("ValidationFailed", 1001),
  {
    httpApiStatus: 422,
    description: "Validation failed; the message names the first offending field.",
  },
) {
  readonly _tag = "ValidationFailed"
  override readonly [ErrorReporter.ignore] = true
}

/** 1002/400: a required parameter is absent; the message names it. */
export class MissingParameter extends Schema.Error<MissingParameter>("MissingParameter")(
  envelope("MissingParameter", 1002),
  {
    httpApiStatus: 400,
    description: "A required parameter is absent; the message names it.",
  },
) {
  readonly _tag = "MissingParameter"
  override readonly [ErrorReporter.ignore] = true
}

/** 1100/401: the key is missing, unknown or inactive. */
export class Unauthenticated extends Schema.Error<Unauthenticated>("Unauthenticated")(
  envelope("Unauthenticated", 1100),
  {
    httpApiStatus: 401,
    description: "Missing, unknown or inactive key.",
  },
) {
  readonly _tag = "Unauthenticated"
  override readonly [ErrorReporter.ignore] = true
}

/** 1101/401: the bearer is not an API key. */
export class NotAnApiKey extends Schema.Error<NotAnApiKey>("NotAnApiKey")(envelope("NotAnApiKey", 1101), {
  httpApiStatus: 401,
  description: "The bearer does not start with gat_.",
}) {
  readonly _tag = "NotAnApiKey"
  override readonly [ErrorReporter.ignore] = true
}

/** 1102/403: the caller's own key may not do this. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(envelope("Forbidden", 1102), {
  httpApiStatus: 403,
  description: "The key is not for this organization, is bound to none, or lacks a scope.",
}) {
  readonly _tag = "Forbidden"
  override readonly [ErrorReporter.ignore] = true
}

/** 1200/404: no such resource in this organization, other tenants' resources included. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(envelope("NotFound", 1200), {
  httpApiStatus: 404,
  description: "No such resource in this organization.",
}) {
  readonly _tag = "NotFound"
  override readonly [ErrorReporter.ignore] = true
}

/** 1201/409: the state of the resource does not allow the action. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(envelope("Conflict", 1201), {
  httpApiStatus: 409,
  description: "The state of the resource does not allow the action.",
}) {
  readonly _tag = "Conflict"
  override readonly [ErrorReporter.ignore] = true
}

/** 1300/429: the request rate or the live-call ceiling is exhausted. */
export class LimitExceeded extends Schema.Error<LimitExceeded>("LimitExceeded")(envelope("LimitExceeded", 1300), {
  httpApiStatus: 429,
  description: "Request rate exceeded, or concurrency exhausted.",
}) {
  readonly _tag = "LimitExceeded"
  override readonly [ErrorReporter.ignore] = true
}

/** 1400/402: the wallet cannot fund the call. */
export class InsufficientCredits extends Schema.Error<InsufficientCredits>("InsufficientCredits")(
  envelope("InsufficientCredits", 1400),
  {
    httpApiStatus: 402,
    description: "The wallet cannot fund the call.",
  },
) {
  readonly _tag = "InsufficientCredits"
  override readonly [ErrorReporter.ignore] = true
}

/** 1500/500: an unhandled exception, the only error that is reported. */
export class Unexpected extends Schema.Error<Unexpected>("Unexpected")(envelope("Unexpected", 1500), {
  httpApiStatus: 500,
  description: "Unhandled exception; the message is constant.",
}) {
  readonly _tag = "Unexpected"
}

/** 1501/503: a dependency is unreachable or answered 5xx. Retryable. */
export class DependencyUnavailable extends Schema.Error<DependencyUnavailable>("DependencyUnavailable")(
  envelope("DependencyUnavailable", 1501),
  { httpApiStatus: 503, description: "A dependency is unreachable. Retryable." },
) {
  readonly _tag = "DependencyUnavailable"
  override readonly [ErrorReporter.ignore] = true
}

/** 1502/504: a dependency did not answer in time. Retryable. */
export class DependencyTimeout extends Schema.Error<DependencyTimeout>("DependencyTimeout")(
  envelope("DependencyTimeout", 1502),
  {
    httpApiStatus: 504,
    description: "A dependency did not answer in time. Retryable.",
  },
) {
  readonly _tag = "DependencyTimeout"
  override readonly [ErrorReporter.ignore] = true
}

/** The errors that may appear on every endpoint (specification, "Endpoints", global rules). */
export const commonErrors = [
  Malformed,
  MissingParameter,
  Unauthenticated,
  NotAnApiKey,
  Forbidden,
  NotFound,
  ValidationFailed,
  LimitExceeded,
  Unexpected,
  DependencyUnavailable,
  DependencyTimeout,
] as const

/** Every error class of the contract: one for each pair of code and status. */
export const errorClasses = [
  ...commonErrors,
  LengthRequired,
  PayloadTooLarge,
  UnsupportedMediaType,
  Conflict,
  InsufficientCredits,
] as const
