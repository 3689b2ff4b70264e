import { parseArgs } from "node:util"
import { type CallLimits, callLimits, WrongLimit } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { LogLevel } from "effect"
import type { Mix } from "../carrier/Mix.ts"
import { type ClockText, isClockText } from "../clock/ClockText.ts"
import { Mix as MixSchema } from "../control/Bodies.ts"
import { decode } from "../control/Decode.ts"
import { type CountersText, isCountersText } from "../counters/CountersText.ts"
import { isLimitsText, type LimitsText } from "../limits/LimitsMode.ts"
import { isServer, isStorageText, type StorageText } from "../storage/StorageText.ts"
import { isLoopback } from "../server/Loopback.ts"
import { defaultRetention, type SimulatorOptions } from "../Simulator.ts"

/** Everything that the command line decides. */
export interface Settings {
  readonly simulator: SimulatorOptions
  readonly host: string
  readonly port: number
  /** Names that the control surface answers to beside its own. */
  readonly names: ReadonlyArray<string>
  readonly printJson: boolean
  readonly quiet: boolean
}

/** A flag that cannot be used; its message is one line that names it. */
export class FlagError extends Error {
  override readonly name = "FlagError"
}

const defaultPort = 4010
const retentionMax = 100_000_000

const logLevels: ReadonlyMap<string, LogLevel.LogLevel> = new Map([
  ["none", "None"],
  ["error", "Error"],
  ["warn", "Warn"],
  ["info", "Info"],
  ["debug", "Debug"],
])

/** Every flag, with what `--help` says of it. */
export const flags = {
  port: { value: "N", default: String(defaultPort), meaning: "port; 0 picks a free one and prints it" },
  host: { value: "A", default: "127.0.0.1", meaning: "bind address" },
  seed: { value: "S", default: "1", meaning: "the one source of randomness: ids, outcomes, jitter" },
  clock: { value: "MODE", default: "realtime", meaning: "realtime, scaled:N or manual" },
  epoch: { value: "ISO", default: "now", meaning: "virtual time at the start; a Monday morning in manual mode" },
  storage: {
    value: "URL",
    default: "memory:",
    meaning: "where the rows are kept: memory:, pglite:./dir or postgres://...",
  },
  "release-dialling": {
    value: null,
    default: "",
    meaning: "lets dialling go on that is held because the rows were restored from a backup",
  },
  counters: {
    value: "URL",
    default: "memory:",
    meaning: "where rates and lines are counted: memory:, redis://..., or the URL of --storage",
  },
  limits: { value: "MODE", default: "spec", meaning: "spec, off or xN: every rate and concurrency ceiling times N" },
  "call-limit": {
    value: "NAME=MS",
    default: "none",
    meaning: "repeatable; a time of calls in milliseconds, such as ringGraceMs=5000",
  },
  mix: { value: "FILE", default: "built in", meaning: "JSON weights of outcomes for ordinary numbers" },
  retention: {
    value: "N",
    default: String(defaultRetention),
    meaning: "how much history is kept, so that a load test cannot fill the memory",
  },
  "allow-webhook-host": {
    value: "HOST[:PORT]",
    default: "none",
    meaning: "repeatable; lets webhooks really reach this otherwise refused destination",
  },
  "allow-host": {
    value: "NAME",
    default: "none",
    meaning: "repeatable; lets /_sim answer to this name, of a proxy or a tunnel, beside localhost",
  },
  "allow-reset": {
    value: null,
    default: "",
    meaning: "lets a reset empty the database of --storage postgres://...",
  },
  print: { value: "json", default: "", meaning: "one JSON line {url, port, organization_id, key, agent_id} on stdout" },
  "control-token": { value: "T", default: "", meaning: "bearer token of /_sim; also CARILLON_CONTROL_TOKEN" },
  quiet: { value: null, default: "", meaning: "no banner" },
  "log-level": { value: "L", default: "warn", meaning: [...logLevels.keys()].join(", ") },
  help: { value: null, default: "", meaning: "this text" },
} as const satisfies Readonly<
  Record<string, { readonly value: string | null; readonly default: string; readonly meaning: string }>
>

type Flag = keyof typeof flags

/** What `--help` prints. */
export const usage = [
  "carillon-simulator [flags]",
  "carillon-simulator replay FILE [--check-determinism]",
  "  FILE is what /_sim/journal answered. Keys, webhook secrets and provider values stand in it as they came: send no real ones.",
  "",
  ...Object.entries(flags).map(([name, { value, default: otherwise, meaning }]) => {
    const flag = `--${name}${value === null ? "" : ` ${value}`}`
    return `  ${flag.padEnd(20)} ${meaning}${otherwise === "" ? "" : ` (${otherwise})`}`
  }),
].join("\n")

const isFlag = (name: string): name is Flag => Object.hasOwn(flags, name)

const refuse = (flag: string, problem: string): never => {
  throw new FlagError(`--${flag}: ${problem.replaceAll(/\s+/g, " ")}`)
}

/** The flags that are lists. */
const repeatable: ReadonlySet<Flag> = new Set(["allow-webhook-host", "allow-host", "call-limit"])

const webhookHosts = (text: string): ReadonlyArray<string> =>
  text.split(",").map((host) => {
    if (!/^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:[0-9]{1,5})?$/i.test(host)) {
      refuse("allow-webhook-host", `must be HOST or HOST:PORT, not '${host}'`)
    }
    return host.toLowerCase()
  })

const ownNames = (text: string): ReadonlyArray<string> =>
  text.split(",").map((name) => {
    if (!/^[a-z0-9_.-]+$/i.test(name)) refuse("allow-host", `must be a NAME without a port, not '${name}'`)
    return name.toLowerCase()
  })

/** The flags as they were written; the last of several wins, where the flag is no list. */
const written = (args: ReadonlyArray<string>): Partial<Record<Flag, string>> => {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [name, { type: value === null ? "boolean" : "string" } as const]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const found: Partial<Record<Flag, string>> = {}
  for (const token of tokens) {
    if (token.kind === "positional") throw new FlagError(`'${token.value}' is not a flag; see --help`)
    if (token.kind === "option-terminator") continue
    const { name, value, inlineValue } = token
    if (!isFlag(name)) throw new FlagError(`${token.rawName}: is not a flag; see --help`)
    if (flags[name].value === null) {
      if (value !== undefined) refuse(name, "takes no value")
      found[name] = "true"
    } else if (value === undefined || (inlineValue === false && value.startsWith("--"))) refuse(name, "needs a value")
    else found[name] = repeatable.has(name) && found[name] !== undefined ? `${found[name]},${value}` : value
  }
  return found
}

const integer = (flag: Flag, text: string, from: number, to: number): number => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= from && value <= to
    ? value
    : refuse(flag, `must be a whole number from ${from} to ${to}, not '${text}'`)
}

const clockOf = (text: string): ClockText =>
  isClockText(text) ? text : refuse("clock", `must be realtime, manual or scaled:N, not '${text}'`)

const limitsOf = (text: string): LimitsText =>
  isLimitsText(text) ? text : refuse("limits", `must be spec, off or xN, not '${text}'`)

const callLimitsOf = (text: string): CallLimits => {
  const set = text.split(",").map((entry) => {
    const [name = "", ms = ""] = entry.split("=", 2)
    return [name, /^\d{1,10}$/.test(ms) ? Number(ms) : ms] as const
  })
  try {
    return callLimits(Object.fromEntries(set))
  } catch (error) {
    if (error instanceof WrongLimit) return refuse("call-limit", error.message)
    throw error
  }
}

const logLevelOf = (text: string): LogLevel.LogLevel =>
  logLevels.get(text) ?? refuse("log-level", `must be one of ${[...logLevels.keys()].join(", ")}, not '${text}'`)

const mixOf = (file: string, readFile: (file: string) => string): Mix => {
  try {
    return decode(MixSchema, JSON.parse(readFile(file)))
  } catch (error) {
    return refuse("mix", `'${file}' cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const storageOf = (text: string): StorageText =>
  isStorageText(text) ? text : refuse("storage", `must be memory:, pglite:DIRECTORY or postgres://..., not '${text}'`)

const countersOf = (text: string, storage: StorageText): CountersText =>
  isCountersText(text, storage)
    ? text
    : refuse("counters", `must be memory:, redis://HOST[:PORT][/DB] or the same as --storage, not '${text}'`)

/** Reads the command line. Throws a `FlagError`; `help` asks for the usage instead. */
export const readFlags = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
  readFile: (file: string) => string,
): Settings | "help" => {
  const given = written(args)
  if (given.help !== undefined) return "help"
  const storage = storageOf(given.storage ?? "memory:")
  const host = given.host ?? "127.0.0.1"
  if (host === "") refuse("host", "must not be empty")
  const token = given["control-token"] ?? (env["CARILLON_CONTROL_TOKEN"] || undefined)
  if (token !== undefined && !/^\S+$/.test(token)) refuse("control-token", "must be one word")
  if (token === undefined && !isLoopback(host)) {
    refuse("control-token", `is needed to bind to ${host}; CARILLON_CONTROL_TOKEN will do, too`)
  }
  if (given.print !== undefined && given.print !== "json") refuse("print", `must be json, not '${given.print}'`)
  if (given.epoch !== undefined && !Timestamp.parseTimestamp(given.epoch).ok) {
    refuse("epoch", `must be a timestamp with a UTC offset, not '${given.epoch}'`)
  }
  return {
    host,
    port: integer("port", given.port ?? String(defaultPort), 0, 65_535),
    names: given["allow-host"] === undefined ? [] : ownNames(given["allow-host"]),
    printJson: given.print === "json",
    quiet: given.quiet !== undefined,
    simulator: {
      seed: given.seed ?? "1",
      clock: clockOf(given.clock ?? "realtime"),
      limits: limitsOf(given.limits ?? "spec"),
      storage,
      counters: countersOf(given.counters ?? "memory:", storage),
      retention: integer("retention", given.retention ?? String(defaultRetention), 1, retentionMax),
      logLevel: logLevelOf(given["log-level"] ?? "warn"),
      ...(given["release-dialling"] === undefined ? {} : { releaseDialling: true }),
      ...(given.epoch === undefined ? {} : { epoch: given.epoch }),
      ...(given["call-limit"] === undefined ? {} : { callLimits: callLimitsOf(given["call-limit"]) }),
      ...(given.mix === undefined ? {} : { mix: mixOf(given.mix, readFile) }),
      ...(token === undefined ? {} : { controlToken: token }),
      ...(given["allow-webhook-host"] === undefined
        ? {}
        : { allowWebhookHosts: webhookHosts(given["allow-webhook-host"]) }),
      ...(isServer(storage) && given["allow-reset"] === undefined ? { refuseReset: true } : {}),
    },
  }
}
