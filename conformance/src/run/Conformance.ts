import { Ledger, type RuleResult } from "../ambient/Ledger.ts"
import { ambientRules } from "../ambient/Ambient.ts"
import { hooked, type Hooks, hooksOnly } from "../control/Hooks.ts"
import { cases as contractCases, extensionCases } from "../cases/Cases.ts"
import { clauses, findClause } from "../clauses/Clauses.ts"
import { extensionClauses } from "../clauses/Extensions.ts"
import { gradedBy, type Requirements } from "../requirements/Requirements.ts"
import { Pacing } from "../http/Pacing.ts"
import { redact } from "../http/Redaction.ts"
import { upload } from "../http/Upload.ts"
import { type Fetch, type Transport, Wire } from "../http/Wire.ts"
import { missing } from "./Capabilities.ts"
import type { Case } from "./Case.ts"
import type { CaseResult } from "./CaseResult.ts"
import { levelsOf, reachedOf, statesOf } from "./ClauseCount.ts"
import type { CheckResult } from "./Checks.ts"
import { follow, type Progress } from "./Course.ts"
import { extensionResults, withExtensions } from "./Extensions.ts"
import type { Bench } from "./Execution.ts"
import { applyExpectations, applyOnTheWay, parseExpectations } from "./Expectations.ts"
import { type Forecast, forecastOf } from "./Forecast.ts"
import { gradingBy, type Profile } from "./Grading.ts"
import { Leftovers } from "./Leftovers.ts"
import { drawNonce } from "./Nonce.ts"
import { ambientCaseId, type CitedClause, outcomeOf, type Report, reportSchema, revision, tallyOf } from "./Report.ts"
import { chosenOf, type Shard } from "./Selection.ts"
import { openTarget, type Target, type TargetOptions } from "./Target.ts"
import { worst } from "./Verdict.ts"

/** How a run is made. Only `baseUrl` and `key` are needed; everything else has a default. */
export interface ConformanceOptions {
  /** Where `/v2` is mounted: `http://127.0.0.1:4010`. */
  readonly baseUrl: string
  /** An API key of the server under test. */
  readonly key: string
  /** Where `/_sim` is mounted, when the server under test offers the control contract. */
  readonly controlUrl?: string
  /** Parts of the control surface that are served by other means. */
  readonly hooks?: Hooks
  readonly controlToken?: string
  /** Answers requests instead of the platform's `fetch`: the handler of a server in this process. */
  readonly fetch?: Fetch
  /** Patterns that select cases by id (`calls/stop/*`) or by clause prefix (`CALL-STOP`); none selects all. */
  readonly only?: ReadonlyArray<string>
  /** Executes only one part of several of the selected cases. */
  readonly shard?: Shard
  /** Ids of cases that are executed before all others. */
  readonly first?: ReadonlyArray<string>
  /** Lines of the known-failing list: `case` or `case:check`, globs allowed. */
  readonly knownFailing?: ReadonlyArray<string>
  /** Lines of the known-flaky list. */
  readonly knownFlaky?: ReadonlyArray<string>
  /** What the inputs of the run are drawn from; the same seed asks the same questions. */
  readonly seed?: number
  /** What the names, numbers, keys and inboxes of the run are drawn from; a new one each time unless a run is replayed. */
  readonly nonce?: string
  /** The published readings that the server claims to keep: then a breach of one fails, otherwise it is noted. */
  readonly profile?: Profile
  /** A frozen set of requirements: what was added to the suite later is noted and never fails. */
  readonly requirements?: Requirements
  /** Judges the extensions, too, that the server says it offers: suppressions, callee hours, call caps, campaign logs, campaign breakers, campaign orders. */
  readonly extensions?: boolean
  /** Lets time-bound cases wait in real time where there is no clock. */
  readonly slow?: boolean
  /** Numbers that may really be rung. Without one, and without magic numbers, nobody is. */
  readonly to?: ReadonlyArray<string>
  /** Ends the run with the first case that fails. */
  readonly failFast?: boolean
  /**
   * Cases that go on at the same time (`defaultAtOnce`, at the most `maxAtOnce`), each in organizations of its own. Only
   * those do that nobody else notices, and only where the server makes organizations; all others are alone.
   */
  readonly atOnce?: number
  readonly signal?: AbortSignal
  /** Real time allowed for one answer, in milliseconds. */
  readonly timeoutMs?: number
  /** Told before the first case, where the organization is not the run's own: what will be asked of the server, and how long it takes. A rejection ends the run. */
  readonly onForecast?: (forecast: Forecast) => Promise<void>
  /** Told of every case as it ends, and of how far the run has come. */
  readonly onCase?: (result: CaseResult, progress: Progress) => void
  /** Told of another run on the same server, by its nonce, that must end first. */
  readonly onWait?: (nonce: string) => void
  /** The cases to choose from, when not those of the suite. */
  readonly cases?: ReadonlyArray<Case>
}

/** The longest that the specification allows a request to take, and a margin. */
const defaultTimeoutMs = 60_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Cases that go on at the same time: enough that neither side of the wire waits for the other, few enough for a small server. */
export const defaultAtOnce = 4

/** More at the same time would measure how much the server can bear, not whether it is right. */
export const maxAtOnce = 16

/** A server that has gone silent is asked once more, and given so long. */
const probeLimitMs = 10_000

const targetOptions = (options: ConformanceOptions, nonce: string): TargetOptions => ({
  baseUrl: options.baseUrl,
  key: options.key,
  controlUrl: controlUrlOf(options),
  controlToken: options.controlToken,
  nonce,
  to: options.to ?? [],
  onWait: options.onWait ?? (() => {}),
})

/** Where the control surface is: with hooks alone, nowhere else. */
const controlUrlOf = ({ controlUrl, hooks }: ConformanceOptions): string | undefined =>
  controlUrl ?? (hooks === undefined ? undefined : hooksOnly)

/** The network of this machine. */
const network: Pick<Transport, "fetch" | "upload"> = { fetch: (request) => globalThis.fetch(request), upload }

const ambientCase = (rules: ReadonlyArray<RuleResult>, seed: number): CaseResult => ({
  id: ambientCaseId,
  title: "Every answer of every case",
  level: 0,
  requires: ["http"],
  clauses: [...new Set(ambientRules.flatMap((rule) => rule.clauses))],
  verdict: worst(
    rules.map(({ verdict }) => verdict),
    "n/a",
  ),
  durationMs: 0,
  seed,
  checks: rules.map(({ judged: _judged, broken: _broken, breaches: _breaches, ...result }) => result),
  trace: [],
})

const withoutSecrets = (result: CaseResult, secrets: ReadonlySet<string>): CaseResult => {
  const clean = (text: string) => redact(text, secrets)
  const cleanCheck = (check: CheckResult): CheckResult => ({
    ...check,
    ...(check.expected === undefined ? {} : { expected: clean(check.expected) }),
    ...(check.got === undefined ? {} : { got: clean(check.got) }),
    ...(check.message === undefined ? {} : { message: clean(check.message) }),
  })
  return {
    ...result,
    ...(result.reason === undefined ? {} : { reason: clean(result.reason) }),
    checks: result.checks.map(cleanCheck),
  }
}

const citedBy = (cases: ReadonlyArray<CaseResult>): Record<string, CitedClause> => {
  const ids = cases.flatMap(({ checks }) => checks.flatMap((check) => (check.verdict === "pass" ? [] : check.clauses)))
  return Object.fromEntries(
    [...new Set(ids)].sort().flatMap((id) => {
      const clause = findClause(id)
      if (clause === undefined) return []
      const address = "address" in clause ? { address: clause.address } : {}
      return [[id, { section: clause.section, quote: clause.quote, level: clause.level, ...address }]]
    }),
  )
}

const forecast = (selected: ReadonlyArray<Case>, { ceilings, offered }: Target): Forecast => {
  const executed = selected.filter(({ requires }) => missing(requires, offered).length === 0)
  const calls = executed.filter(({ requires }) => requires.includes("recipient")).length
  return forecastOf(
    executed.map(({ id }) => id),
    ceilings,
    calls,
  )
}

/** Holds a server against the suite and reports what was found; rejects with `Unreachable` when there is none to judge. */
export const runConformance = async (options: ConformanceOptions): Promise<Report> => {
  const startedAt = new Date().toISOString()
  const seed = options.seed ?? 1
  const { hooks } = options
  const sending = options.fetch === undefined ? network : { fetch: options.fetch }
  const transport: Transport = {
    ...sending,
    ...(hooks === undefined ? {} : { fetch: hooked(sending.fetch, hooks, controlUrlOf(options) ?? hooksOnly) }),
    secrets: new Set([options.key, ...(options.controlToken === undefined ? [] : [options.controlToken])]),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    sleep,
  }
  const nonce = options.nonce ?? drawNonce()
  const asksExtensions = options.extensions === true
  const opened = await openTarget(targetOptions(options, nonce), transport)
  const target = asksExtensions ? await withExtensions(opened, transport) : opened
  const grading = gradingBy(findClause, options.profile)
  const ledger = new Ledger()
  const bench: Bench = {
    target,
    transport: target.offered.has("fixtures") ? transport : { ...transport, pacing: new Pacing() },
    baseUrl: options.baseUrl,
    ledger,
    grading,
    seed,
    nonce,
    slow: options.slow === true,
    leftovers: target.offered.has("fixtures") ? undefined : new Leftovers(),
    recipients: options.to ?? [],
  }

  const { first = [], only = [], shard } = options
  const allCases = options.cases ?? (asksExtensions ? [...contractCases, ...extensionCases] : contractCases)
  const selected = chosenOf(allCases, { only, shard, first })
  if (bench.leftovers !== undefined) {
    await options.onForecast?.(forecast(selected, target)).catch(async (declined: unknown) => {
      await target.release()
      throw declined
    })
  }
  const knownFailing = parseExpectations((options.knownFailing ?? []).join("\n"))
  const knownFlaky = parseExpectations((options.knownFlaky ?? []).join("\n"))
  const required = (results: ReadonlyArray<CaseResult>) =>
    options.requirements === undefined ? results : gradedBy(options.requirements, results)
  const cleaned = (result: CaseResult) => withoutSecrets(result, transport.secrets)
  const { signal: _aborted, ...untilTheEnd } = bench.transport
  const course = {
    isThere: () => target.answers(probeLimitMs),
    signal: options.signal,
    failFast: options.failFast === true,
    atOnce: Math.min(Math.max(1, options.atOnce ?? defaultAtOnce), maxAtOnce),
    first,
    graded: (result: CaseResult) => applyOnTheWay(required([result])[0] ?? result, knownFailing, knownFlaky),
    onCase: (result: CaseResult, progress: Progress) => options.onCase?.(cleaned(result), progress),
  }
  const tidy = async () => (await bench.leftovers?.remove(target.client(new Wire(untilTheEnd)))) ?? []
  const executed = await follow(selected, bench, course).catch(async (interrupted: unknown) => {
    await tidy()
    throw interrupted
  })
  const leftBehind = await tidy()

  const rules = ledger.results(grading)
  const told = [ambientCase(rules, seed), ...executed].map(cleaned)
  const { cases, unused } = applyExpectations(required(told), knownFailing, knownFlaky)
  const states = statesOf(cases, findClause)
  const levels = levelsOf(clauses, allCases, states)
  return {
    schema: reportSchema,
    revision,
    startedAt,
    finishedAt: new Date().toISOString(),
    target: {
      baseUrl: options.baseUrl,
      controlUrl: options.controlUrl ?? null,
      ...(hooks === undefined ? {} : { hooks: hooks.file }),
    },
    seed,
    nonce,
    profile: options.profile ?? null,
    requirements: options.requirements ?? null,
    capabilities: [...target.offered].sort(),
    outcome: outcomeOf(cases),
    totals: {
      cases: tallyOf(cases.map(({ verdict }) => verdict)),
      checks: tallyOf(cases.flatMap(({ checks }) => checks.map(({ verdict }) => verdict))),
    },
    levels,
    ...(asksExtensions ? { extensions: extensionResults(extensionClauses, states, target) } : {}),
    reached: reachedOf(levels),
    clauseStates: Object.fromEntries([...states].sort(([a], [b]) => (a < b ? -1 : 1))),
    cases,
    breaches: Object.fromEntries(rules.filter(({ broken }) => broken > 0).map(({ id, breaches }) => [id, breaches])),
    clauses: citedBy(cases),
    leftBehind: leftBehind.map((line) => redact(line, transport.secrets)),
    unusedExpectations: unused,
  }
}
