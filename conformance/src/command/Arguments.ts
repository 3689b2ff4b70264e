import { parseArgs } from "node:util"
import { formats, type Format } from "../report/Format.ts"
import { type Profile, profiles } from "../run/Grading.ts"
import { type Requirements, requirementSets } from "../requirements/Requirements.ts"
import { defaultAtOnce, maxAtOnce } from "../run/Conformance.ts"
import { isNonce } from "../run/Nonce.ts"
import type { Shard } from "../run/Selection.ts"
import { Usage } from "./Usage.ts"

/** A report to be written. */
export interface ReportFile {
  readonly format: Format
  readonly path: string
}

/** How a server is to be judged. */
export interface RunArguments {
  readonly baseUrl: string
  readonly key: string
  readonly controlUrl: string | undefined
  readonly controlToken: string | undefined
  /** A file that says by which other means the control surface is served. */
  readonly hooks: string | undefined
  readonly only: ReadonlyArray<string>
  readonly knownFailing: string | undefined
  readonly knownFlaky: string | undefined
  readonly reports: ReadonlyArray<ReportFile>
  readonly seed: number
  readonly nonce: string | undefined
  readonly failFast: boolean
  readonly atOnce: number
  readonly verbose: boolean
  readonly profile: Profile | undefined
  readonly slow: boolean
  /** Judges extensions, too. */
  readonly extensions: boolean
  /** Numbers that may really be rung. */
  readonly to: ReadonlyArray<string>
  readonly yes: boolean
  readonly shard: Shard | undefined
  /** `last`, or the JSON report of an earlier run. */
  readonly since: string | undefined
  readonly requirements: Requirements | undefined
}

/** A command line that was understood. */
export type Arguments =
  | { readonly command: "help" }
  | { readonly command: "run"; readonly run: RunArguments }
  | { readonly command: "replay"; readonly caseId: string; readonly run: RunArguments }
  | { readonly command: "diff"; readonly before: string; readonly after: string }
  | { readonly command: "matrix"; readonly files: ReadonlyArray<string>; readonly html: string | undefined }
  | { readonly command: "list"; readonly clauses: boolean; readonly extensions: boolean }
  | { readonly command: "explain"; readonly id: string }

const text = { type: "string" } as const
const list = { type: "string", multiple: true } as const
const flag = { type: "boolean", default: false } as const

const runFlags = {
  "base-url": text,
  key: text,
  "control-url": text,
  "control-token": text,
  hooks: text,
  only: list,
  "known-failing": text,
  "known-flaky": text,
  report: list,
  seed: text,
  nonce: text,
  "fail-fast": flag,
  "at-once": text,
  verbose: flag,
  profile: text,
  slow: flag,
  extensions: flag,
  to: list,
  yes: flag,
  shard: text,
  since: text,
  requirements: text,
} as const

const parsed = <T>(parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error))
  }
}

const url = (name: string, value: string | undefined): string => {
  if (value === undefined || !URL.canParse(value) || !/^https?:/.test(value))
    throw new Usage(`--${name} needs an http URL`)
  return value
}

const reportFile = (value: string): ReportFile => {
  const [name = "", ...rest] = value.split("=")
  const format = formats.find((each) => each === name)
  const path = rest.join("=")
  if (format === undefined || path === "")
    throw new Usage(`--report needs FORMAT=FILE with ${formats.join(", ")}, not "${value}"`)
  return { format, path }
}

const seedOf = (value: string | undefined): number => {
  const seed = Number(value ?? 1)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Usage(`--seed needs a whole number, not "${value}"`)
  return seed
}

const atOnceOf = (value: string | undefined): number => {
  const atOnce = Number(value ?? defaultAtOnce)
  if (!Number.isInteger(atOnce) || atOnce < 1 || atOnce > maxAtOnce)
    throw new Usage(`--at-once needs a number from 1 to ${maxAtOnce}, not "${value}"`)
  return atOnce
}

const profileOf = (value: string | undefined): Profile | undefined => {
  const profile = profiles.find((each) => each === value)
  if (value !== undefined && profile === undefined) throw new Usage(`--profile needs one of ${profiles.join(", ")}`)
  return profile
}

const numberOf = (value: string): string => {
  if (!/^\+[1-9]\d{6,14}$/.test(value)) throw new Usage(`--to needs a number such as +14155550100, not "${value}"`)
  return value
}

const shardOf = (value: string | undefined): Shard | undefined => {
  if (value === undefined) return undefined
  const [, nth, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(value) ?? []).map(Number)
  if (nth === undefined || of === undefined || nth < 1 || nth > of)
    throw new Usage(`--shard needs I/N, from 1/N to N/N, not "${value}"`)
  return { nth, of }
}

const requirementsOf = (value: string | undefined): Requirements | undefined => {
  const name = requirementSets.find((each) => each === value)
  if (value !== undefined && name === undefined)
    throw new Usage(`--requirements needs one of ${requirementSets.join(", ")}, not "${value}"`)
  return name
}

const nonceOf = (value: string | undefined): string | undefined => {
  if (value !== undefined && !isNonce(value)) throw new Usage("--nonce needs 4 to 16 small letters and digits")
  return value
}

const only = (positionals: ReadonlyArray<string>, what: string): string => {
  const [first, ...rest] = positionals
  if (first === undefined || rest.length > 0) throw new Usage(`expected ${what}`)
  return first
}

const readRun = (args: ReadonlyArray<string>): { run: RunArguments; positionals: ReadonlyArray<string> } => {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: runFlags, allowPositionals: true, strict: true }),
  )
  const { key } = values
  if (key === undefined || key === "") throw new Usage("--key is needed")
  const controlUrl = values["control-url"]
  return {
    positionals,
    run: {
      baseUrl: url("base-url", values["base-url"]),
      key,
      controlUrl: controlUrl === undefined ? undefined : url("control-url", controlUrl),
      controlToken: values["control-token"],
      hooks: values.hooks,
      only: values.only ?? [],
      knownFailing: values["known-failing"],
      knownFlaky: values["known-flaky"],
      reports: (values.report ?? []).map(reportFile),
      seed: seedOf(values.seed),
      nonce: nonceOf(values.nonce),
      failFast: values["fail-fast"],
      atOnce: atOnceOf(values["at-once"]),
      verbose: values.verbose,
      profile: profileOf(values.profile),
      slow: values.slow,
      extensions: values.extensions,
      to: (values.to ?? []).map(numberOf),
      yes: values.yes,
      shard: shardOf(values.shard),
      since: values.since,
      requirements: requirementsOf(values.requirements),
    },
  }
}

/** Reads a command line; throws `Usage` when it makes no sense. */
export const readArguments = (argv: ReadonlyArray<string>): Arguments => {
  const [command, ...args] = argv
  if (args.includes("--help") || args.includes("-h")) return { command: "help" }
  switch (command) {
    case "run": {
      const { run, positionals } = readRun(args)
      if (positionals.length > 0) throw new Usage(`run does not take "${positionals[0]}"`)
      return { command, run }
    }
    case "replay": {
      const { run, positionals } = readRun(args)
      return { command, run, caseId: only(positionals, "one case to replay") }
    }
    case "diff": {
      const { positionals } = parsed(() => parseArgs({ args, allowPositionals: true, strict: true }))
      const [before, after, ...rest] = positionals
      if (before === undefined || after === undefined || rest.length > 0) throw new Usage("diff takes two JSON reports")
      return { command, before, after }
    }
    case "matrix": {
      const { positionals, values } = parsed(() =>
        parseArgs({ args, options: { html: text }, allowPositionals: true, strict: true }),
      )
      if (positionals.length < 2) throw new Usage("matrix takes two or more JSON reports")
      return { command, files: positionals, html: values.html }
    }
    case "list": {
      const { values } = parsed(() => parseArgs({ args, options: { clauses: flag, extensions: flag }, strict: true }))
      return { command, clauses: values.clauses, extensions: values.extensions }
    }
    case "explain": {
      const { positionals } = parsed(() => parseArgs({ args, allowPositionals: true, strict: true }))
      return { command, id: only(positionals, "one case or clause to explain") }
    }
    case "help":
    case "--help":
    case "-h":
      return { command: "help" }
    case undefined:
      throw new Usage("expected a command")
    default:
      throw new Usage(`there is no command "${command}"`)
  }
}
