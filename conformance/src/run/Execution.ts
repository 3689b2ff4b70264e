import type { Ledger } from "../ambient/Ledger.ts"
import { type Company, WantsToBeAlone } from "../control/Company.ts"
import { ControlFailure } from "../control/Control.ts"
import type { Exchange } from "../http/Exchange.ts"
import { HarnessTrouble } from "../http/Trouble.ts"
import { NoAnswer, type Transport, Wire } from "../http/Wire.ts"
import { Trial } from "../trial/Trial.ts"
import { type Capability, levelOf, missing } from "./Capabilities.ts"
import type { Case } from "./Case.ts"
import type { CaseResult } from "./CaseResult.ts"
import { Checks, Halted } from "./Checks.ts"
import type { Grading } from "./Grading.ts"
import type { Leftovers } from "./Leftovers.ts"
import { freshSeedOf, seedOf } from "./Seed.ts"
import { rootOf, type Target } from "./Target.ts"
import { holds, type Verdict, worst } from "./Verdict.ts"

/** What all cases of a run share. */
export interface Bench {
  readonly target: Target
  readonly transport: Transport
  readonly baseUrl: string
  readonly ledger: Ledger
  readonly grading: Grading
  readonly seed: number
  readonly nonce: string
  /** Cases that can wait in real time do so where there is no clock. */
  readonly slow: boolean
  /** Present where the organization is not the run's own: what cases make there is taken away at the end. */
  readonly leftovers: Leftovers | undefined
  /** Numbers that may really be rung. */
  readonly recipients: ReadonlyArray<string>
}

/** Whatever knows the exchange that it came from. */
interface Recorded {
  readonly exchange: Exchange
}

/** Exchanges that the trace of a failed case keeps. */
const traceLength = 30

const lacking = (scenario: Case, { target, slow }: Bench): ReadonlyArray<Capability> =>
  missing(scenario.requires, target.offered).filter(
    (capability) => !(capability === "clock" && slow && scenario.realTimeMs !== undefined),
  )

const reasonFor = (lacks: ReadonlyArray<Capability>, { withheld }: Target): string => {
  const whys = lacks.flatMap((capability) => withheld?.get(capability) ?? [])
  return [`the target does not offer ${lacks.join(", ")}`, ...whys].join(": ")
}

/** True when the target offers all that a case needs. */
export const isExecutable = (scenario: Case, bench: Bench): boolean => lacking(scenario, bench).length === 0

/** Executes one case and says what became of it; rejects when the run is aborted, and with `WantsToBeAlone` beside others. */
export const execute = async (scenario: Case, bench: Bench, company: Company = "alone"): Promise<CaseResult> => {
  const { target, transport, ledger } = bench
  const { id, title, requires, clauses } = scenario
  const seed = seedOf(bench.seed, id)
  const base = { id, title, level: levelOf(requires), requires, clauses, seed }
  const lacks = lacking(scenario, bench)
  if (lacks.length > 0) {
    const reason = reasonFor(lacks, target)
    return { ...base, verdict: "n/a", reason, durationMs: 0, checks: [], trace: [] }
  }

  const trace: Array<Recorded> = []
  const keep = (recorded: Recorded) => {
    trace.push(recorded)
    if (trace.length > traceLength) trace.shift()
  }
  const root = rootOf(bench.baseUrl)
  const publicWire = new Wire(transport, (request, answer) => {
    keep(answer)
    const url = new URL(request.url)
    const path = url.pathname.slice(new URL(root).pathname.replace(/\/$/, "").length)
    const { secrets } = transport
    bench.leftovers?.observe(request.method, path, answer)
    ledger.observe(id, { method: request.method, path, query: url.searchParams, answer, secrets })
  })
  const controlWire = new Wire(transport, (_request, answer) => keep(answer))

  const check = new Checks(clauses, bench.grading)
  const control = target.control(controlWire, company)
  const trial = new Trial({
    check,
    seed,
    nonce: bench.nonce,
    freshSeed: freshSeedOf(bench.nonce, id),
    offered: target.offered,
    recipients: bench.recipients,
    primary: target.client(publicWire),
    clock: target.clock(target.offered.has("clock") ? controlWire : publicWire, company),
    ...(control === undefined ? {} : { control }),
    company,
    addSecret: (secret) => transport.secrets.add(secret),
    sleep: transport.sleep,
  })

  const started = performance.now()
  const trouble: Array<{ verdict: Verdict; reason: string }> = []
  // Connections lie idle while fewer go on at once: one that breaks is no fault of the server before the case is alone.
  const isCrowded = (error: unknown) =>
    error instanceof WantsToBeAlone || (company === "beside" && error instanceof NoAnswer && error.dropped)
  let crowded = false
  const attempt = async (step: () => Promise<void>) => {
    try {
      await step()
    } catch (error) {
      transport.signal?.throwIfAborted()
      if (error instanceof Halted) return
      if (isCrowded(error)) {
        crowded = true
      } else if (error instanceof NoAnswer) {
        keep(error)
        check.unanswered(error.message, error.exchange)
      } else if (error instanceof ControlFailure) {
        keep(error)
        trouble.push({ verdict: "untestable", reason: error.message })
      } else if (error instanceof HarnessTrouble) {
        trouble.push({ verdict: "error", reason: error.message })
      } else {
        trouble.push({
          verdict: "error",
          reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
        })
      }
    }
  }
  await attempt(() => scenario.run(trial))
  await attempt(() => trial.finish())
  if (crowded) throw new WantsToBeAlone(id)

  const checks = check.results()
  if (checks.length === 0 && trouble.length === 0) {
    trouble.push({ verdict: "error", reason: "the case recorded no check" })
  }
  const verdict = worst([...checks.map((result) => result.verdict), ...trouble.map((each) => each.verdict)], "error")
  const reason = trouble[0]?.reason
  return {
    ...base,
    verdict,
    ...(reason === undefined ? {} : { reason }),
    durationMs: performance.now() - started,
    checks,
    trace: holds(verdict) ? [] : trace.map(({ exchange }) => exchange),
  }
}
