import { Room } from "@livekit/protocol"

/** The HTTP status of each code: https://twitchtv.github.io/twirp/docs/errors.html. */
const statuses = {
  canceled: 408,
  unknown: 500,
  invalid_argument: 400,
  malformed: 400,
  deadline_exceeded: 408,
  not_found: 404,
  bad_route: 404,
  already_exists: 409,
  permission_denied: 403,
  unauthenticated: 401,
  resource_exhausted: 429,
  failed_precondition: 412,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
} as const

export type TwirpCode = keyof typeof statuses

/** An error as Twirp answers it. */
export class TwirpFailure extends Error {
  readonly code: TwirpCode
  readonly meta: { readonly [name: string]: string }

  constructor(code: TwirpCode, message: string, meta: TwirpFailure["meta"] = {}) {
    super(message)
    this.code = code
    this.meta = meta
  }

  get status(): number {
    return statuses[this.code]
  }
}

export type JsonValue = Parameters<typeof Room.fromJson>[0]

interface ReadOptions {
  readonly ignoreUnknownFields?: boolean
}

/** A kind of message of `@livekit/protocol`. */
export interface Codec<M> {
  readonly fromJson: (json: JsonValue, options?: ReadOptions) => M
  readonly fromBinary: (bytes: Uint8Array) => M
}

/** A message of `@livekit/protocol`. */
export interface Wire {
  readonly toJson: (options?: {
    readonly emitDefaultValues?: boolean
    readonly useProtoFieldName?: boolean
  }) => JsonValue
  readonly toBinary: () => Uint8Array
}

export type Format = "json" | "protobuf"

/** By the header alone, and without its parameters, as Twirp's server reads it. */
export const formatOf = (contentType: string | undefined): Format | null => {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase()
  return type === "application/json" ? "json" : type === "application/protobuf" ? "protobuf" : null
}

const isKnown = <M>(codec: Codec<M>, json: JsonValue): boolean => {
  try {
    codec.fromJson(json)
    return true
  } catch {
    return false
  }
}

/** Reads a message. Twirp's server leaves out fields that it does not know; here the caller hears of them. */
export const decoded = <M>(codec: Codec<M>, format: Format, bytes: Buffer, unknown: () => void): M => {
  try {
    if (format === "protobuf") return codec.fromBinary(bytes)
    const json: JsonValue = JSON.parse(bytes.toString("utf8"))
    const message = codec.fromJson(json, { ignoreUnknownFields: true })
    if (!isKnown(codec, json)) unknown()
    return message
  } catch {
    throw new TwirpFailure("malformed", `the ${format} request could not be decoded`)
  }
}

export interface TwirpResponse {
  readonly status: number
  readonly type: string
  readonly body: string | Uint8Array
}

/** With the names of the protocol and with empty fields, as the Go server writes it where it is not told otherwise; it is not. */
export const encoded = (message: Wire, format: Format): TwirpResponse =>
  format === "protobuf"
    ? { status: 200, type: "application/protobuf", body: message.toBinary() }
    : {
        status: 200,
        type: "application/json",
        body: JSON.stringify(message.toJson({ emitDefaultValues: true, useProtoFieldName: true })),
      }

/** Errors are JSON, whatever the request was. */
export const failed = (failure: TwirpFailure): TwirpResponse => {
  const meta = Object.keys(failure.meta).length === 0 ? {} : { meta: failure.meta }
  return {
    status: failure.status,
    type: "application/json",
    body: JSON.stringify({ code: failure.code, msg: failure.message, ...meta }),
  }
}
