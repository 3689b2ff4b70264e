import { isObject } from "../http/Json.ts"

/** The features beyond the contract. */
export const extensions = [
  "suppressions",
  "callee-hours",
  "call-caps",
  "campaign-log",
  "campaign-breaker",
  "campaign-order",
] as const

/** One of them. */
export type Extension = (typeof extensions)[number]

/** What a case may need of the target beside plain HTTP; `faults:slot_store` asks for one dependency to be breakable. */
export type Capability =
  | "http"
  | "fixtures"
  | "clock"
  | "telephony"
  | "magic"
  | "inbound"
  | "inbox"
  | "dns"
  | "platform"
  /** A number that may really be rung: one that the run was given, or the carrier's magic ones. */
  | "recipient"
  | `faults:${string}`
  /** Only where the run asks for extensions, and the server says that it offers this one. */
  | `extension:${Extension}`

/** A level that a run can reach: 0 plain HTTP, 1 fixtures, 2 the clock, 3 telephony scripts and faults. */
export type ReachLevel = 0 | 1 | 2 | 3

/** What the target offers. */
export type Capabilities = ReadonlySet<Capability>

/** Plain HTTP with one key and nothing else. */
export const httpOnly: Capabilities = new Set<Capability>(["http"])

/** The version of the control contract that this suite speaks. */
const contractVersion = 1

const levels: Readonly<Record<string, ReachLevel>> = {
  http: 0,
  fixtures: 1,
  inbox: 1,
  dns: 1,
  platform: 1,
  clock: 2,
  telephony: 3,
  magic: 3,
  inbound: 3,
  recipient: 3,
}

/** The extension that a case is about; undefined for one of the contract. */
export const extensionOf = (requires: ReadonlyArray<Capability>): Extension | undefined =>
  extensions.find((extension) => requires.includes(`extension:${extension}`))

/** The level that a case belongs to: that of its most demanding requirement. */
export const levelOf = (requires: ReadonlyArray<Capability>): ReachLevel =>
  requires.reduce<ReachLevel>((level, capability) => {
    const needed = capability.startsWith("extension:") ? 0 : (levels[capability] ?? 3)
    return needed > level ? needed : level
  }, 0)

/** What a case may ask for without an effect outside of organizations of its own. */
const ofItsOwn: ReadonlySet<Capability> = new Set<Capability>([
  "http",
  "fixtures",
  ...extensions.map((extension) => `extension:${extension}` as const),
])

/**
 * True when a case can go on beside others: it needs nothing that a server has but once (clock, carrier, inboxes, faults,
 * the platform), and makes organizations of its own.
 */
export const goesBeside = (requires: ReadonlyArray<Capability>, offered: Capabilities): boolean =>
  offered.has("fixtures") && requires.every((capability) => ofItsOwn.has(capability))

/** The requirements that the target does not offer. */
export const missing = (requires: ReadonlyArray<Capability>, offered: Capabilities): ReadonlyArray<Capability> =>
  requires.filter((capability) => !offered.has(capability))

const flags: ReadonlyArray<readonly [string, Capability]> = [
  ["organizations", "fixtures"],
  ["clock", "clock"],
  ["telephony", "telephony"],
  ["magic", "magic"],
  ["inbound", "inbound"],
  ["inbox", "inbox"],
  ["dns", "dns"],
  ["platform", "platform"],
]

/** Reads the answer of `GET /_sim/capabilities`; undefined when it does not speak the contract. */
export const readCapabilities = (body: unknown): Capabilities | undefined => {
  if (!isObject(body) || body["contract"] !== contractVersion) return undefined
  const offered = new Set<Capability>(["http"])
  for (const [field, capability] of flags) if (body[field] === true) offered.add(capability)
  const faults = body["faults"]
  if (isObject(faults)) {
    for (const [dependency, modes] of Object.entries(faults)) {
      if (Array.isArray(modes) && modes.length > 0) offered.add(`faults:${dependency}`)
    }
  }
  return offered
}
