import { Result } from "effect"
import { limits } from "../../Limits.ts"
import { parseUrl } from "../../WebUrl.ts"
import { isIn, isPublic, parseAddress, parseBlock } from "./Addresses.ts"

/** Where a delivery goes, after the rules that need no look-up (decisions.md, "Webhooks" and "Readings"). */
export interface Destination {
  /** The URL as it is called, normalised. */
  readonly url: string
  readonly secure: boolean
  /** Name or literal address, lower-case, without brackets and final dot. */
  readonly hostname: string
  readonly port: number
  /** Host and, where it is not the default, port: what is shown of the URL. */
  readonly host: string
  /** Path and query. */
  readonly target: string
  /** Whether the host is an address and needs no look-up. */
  readonly literal: boolean
}

/** Why a URL is refused: each is a sentence for the caller, and none tells what a name resolves to. */
export const destinationFaults = {
  length: "The callback URL is too long.",
  url: "The callback URL is not a valid URL.",
  scheme: "The callback URL must be an http or https URL.",
  credentials: "The callback URL must not carry credentials.",
  port: "The callback URL must not use port 0.",
  name: "The callback URL must not name a private, local or metadata host.",
  address: "The callback URL must not point to a private, loopback or reserved address.",
} as const

const refusedNames: ReadonlySet<string> = new Set([
  "localhost",
  "metadata",
  "metadata.google.internal",
  "instance-data",
  "kubernetes.default",
  "kubernetes.default.svc",
])

const refusedSuffixes = [".localhost", ".local", ".internal", ".home.arpa"]

const isPublicName = (name: string): boolean =>
  name.includes(".") && !refusedNames.has(name) && !refusedSuffixes.some((suffix) => name.endsWith(suffix))

const withoutBrackets = (hostname: string): string =>
  hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.endsWith(".") ? hostname.slice(0, -1) : hostname

/** Whether a text has characters that the URL parser would drop or turn silently into something else. */
const isSuspicious = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit <= space || unit === backslash || unit === deletion) return true
  }
  return false
}

const space = 0x20
const backslash = 0x5c
const deletion = 0x7f

/** Whether the destination was opened by name. */
export const isOpened = (
  { hostname, port }: Pick<Destination, "hostname" | "port">,
  allowed: ReadonlyArray<string>,
): boolean =>
  allowed.some((entry) => entry === hostname || entry === `${hostname}:${port}` || entry === `[${hostname}]:${port}`)

/** Whether a delivery to the destination may connect to this address, given as text. */
export const mayConnect = (
  destination: Pick<Destination, "hostname" | "port">,
  address: string,
  allowed: ReadonlyArray<string>,
): boolean => {
  const bytes = parseAddress(address)
  if (bytes === null) return false
  if (isPublic(bytes) || isOpened(destination, allowed)) return true
  return allowed.some((entry) => {
    const block = parseBlock(entry)
    return block !== null && isIn(bytes, block)
  })
}

/** Judges a URL by everything that can be known without a look-up; the failure is a sentence that says why. */
export const parseDestination = (text: string, allowed: ReadonlyArray<string>): Result.Result<Destination, string> => {
  if (text.length > limits.callbackUrlCharacters) return Result.fail(destinationFaults.length)
  if (isSuspicious(text)) return Result.fail(destinationFaults.url)
  const url = parseUrl(text)
  if (url === null) return Result.fail(destinationFaults.url)
  if (url.protocol !== "http:" && url.protocol !== "https:") return Result.fail(destinationFaults.scheme)
  if (url.username !== "" || url.password !== "") return Result.fail(destinationFaults.credentials)
  if (url.port === "0") return Result.fail(destinationFaults.port)
  const secure = url.protocol === "https:"
  const hostname = withoutBrackets(url.hostname)
  const destination: Destination = {
    url: url.href,
    secure,
    hostname,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    host: url.host,
    target: url.pathname + url.search,
    literal: parseAddress(hostname) !== null,
  }
  if (hostname === "" || hostname.split(".").includes("")) return Result.fail(destinationFaults.url)
  if (destination.literal) {
    return mayConnect(destination, hostname, allowed)
      ? Result.succeed(destination)
      : Result.fail(destinationFaults.address)
  }
  return isPublicName(hostname) || isOpened(destination, allowed)
    ? Result.succeed(destination)
    : Result.fail(destinationFaults.name)
}
