import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import { constants, setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import type { Attack } from "./Attack.ts"
import { attacks } from "./Attacks.ts"

/**
 * One tenant, and then a stranger without a key, does its worst to an engine on which a neighbour goes on with its day. Three processes: the
 * engine, the attacker, the neighbour, so that none of them measures another's work.
 */

const TenantShape = Schema.Struct({ key: Schema.String, agent_id: Schema.String })
const readReady = Schema.decodeUnknownSync(
  Schema.Struct({ port: Schema.Number, noisy: TenantShape, quiet: TenantShape }),
)
const readEndpoint = Schema.decodeUnknownSync(Schema.Struct({ endpoint: Schema.String }))
const readMark = Schema.decodeUnknownSync(
  Schema.Struct({ stallMs: Schema.Number, peakBytes: Schema.Number, garbageMs: Schema.Number }),
)
const readLived = Schema.decodeUnknownSync(
  Schema.Struct({
    tookMs: Schema.Array(Schema.Number),
    errors: Schema.Array(Schema.String),
    deliveries: Schema.Number,
  }),
)
const readDone = Schema.decodeUnknownSync(Schema.Struct({ told: Schema.String, tookMs: Schema.Number }))

const start = (file: string, args: ReadonlyArray<string> = []): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--conditions=@carillon/source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })

/** Has a process run only where nobody else wants to; where the system has no such order, behind all others. */
const giveWay = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  const { status } = spawnSync("chrt", ["--idle", "--all-tasks", "--pid", "0", String(pid)])
  if (status !== 0) setPriority(pid, constants.priority.PRIORITY_LOW)
}

const asked = async <A>(child: ChildProcess, question: object | string, read: (message: unknown) => A): Promise<A> => {
  const over = new AbortController()
  const { signal } = over
  const answered = once(child, "message", { signal })
  const lost = once(child, "exit", { signal }).then(([code]): never => {
    throw new Error(`A process of the siege ended (${code}).`)
  })
  try {
    child.send(question)
    const [message]: ReadonlyArray<unknown> = await Promise.race([answered, lost])
    return read(message)
  } finally {
    over.abort()
    await Promise.allSettled([answered, lost])
  }
}

const ended = async (child: ChildProcess): Promise<void> => {
  const gone = once(child, "exit")
  child.disconnect()
  await gone
}

/** What one attack came to. */
export interface Outcome {
  readonly attack: Attack
  readonly isStranger: boolean
  readonly stallMs: number
  /** How long the longest collection of garbage took meanwhile. */
  readonly garbageMs: number
  /** How much more memory the engine held than before, at the most. */
  readonly growthBytes: number
  /** What the neighbour's requests took meanwhile. */
  readonly neighbourMs: ReadonlyArray<number>
  readonly neighbourErrors: ReadonlyArray<string>
  /** How often it was answered with what. */
  readonly told: string
}

/** What a siege came to. */
export interface Report {
  readonly outcomes: ReadonlyArray<Outcome>
  /** What the neighbour's requests took while it was alone. */
  readonly aloneMs: ReadonlyArray<number>
  /** Webhooks that reached the neighbour while it was attacked. */
  readonly deliveries: number
}

/** Which attacks are made on what. */
export interface SiegeOptions {
  /** `memory:`, or the URL of a PostgreSQL database. */
  readonly storage: string
  readonly isMeant: (attack: Attack, nth: number) => boolean
  /**
   * Attacks with the same word meet the same engine, one after the other. A new process takes the next ones: it is judged by what they do, and
   * not by how much those before them have stored in it.
   */
  readonly engineOf: (attack: Attack) => string
  /** Of the attacks that lie in the body alone a stranger makes each so manieth: nothing of it is read. */
  readonly strangersEvery: number
  /** Whether the attacker runs only where nobody else wants to. On a machine that is busy with other things it would not come to run at all. */
  readonly givesWay: boolean
  /** How long the neighbour is watched alone, beside each engine. */
  readonly aloneMs: number
  readonly say: (line: string) => void
}

/** Time for what an attack has set going, and for the neighbour to be asked a few times. */
const afterMs = 50

interface Meant {
  readonly nth: number
  readonly attack: Attack
}

/** The attacks on one engine, by the tenant and then by the stranger. */
const besiegeOne = async (
  some: ReadonlyArray<Meant>,
  { aloneMs, givesWay, say, storage, strangersEvery }: SiegeOptions,
): Promise<Report> => {
  const neighbour = start("Neighbour.ts")
  const [first] = await once(neighbour, "message")
  const { endpoint } = readEndpoint(first)
  const attacker = start("Attacker.ts")
  const [second] = await once(attacker, "message")
  const hanging = readEndpoint(second).endpoint
  const engine = start("Engine.ts", ["--storage", storage, "--endpoint", endpoint, "--endpoint", hanging])
  const [ready] = await once(engine, "message")
  const { noisy, port, quiet } = readReady(ready)
  await asked(attacker, { port, tenant: noisy }, readDone)
  // It is elsewhere, and takes no time of the processors that the engine and the neighbour need; here there may be fewer than processes.
  if (givesWay) giveWay(attacker)
  try {
    neighbour.send({ port, tenant: quiet, endpoint })
    // The first requests compile what the others run.
    await new Promise((resolve) => setTimeout(resolve, aloneMs))
    await asked(neighbour, "tell", readLived)
    await new Promise((resolve) => setTimeout(resolve, aloneMs))
    const alone = await asked(neighbour, "tell", readLived)
    let before = await asked(engine, "mark", readMark)
    const outcomes: Array<Outcome> = []
    let deliveries = 0
    for (const isStranger of [false, true]) {
      for (const { attack, nth } of some) {
        if (isStranger && attack.isInBody && nth % strangersEvery !== 0) continue
        const { told } = await asked(attacker, { nth, port, tenant: noisy, isStranger }, readDone)
        await new Promise((resolve) => setTimeout(resolve, afterMs))
        const mark = await asked(engine, "mark", readMark)
        const lived = await asked(neighbour, "tell", readLived)
        deliveries += lived.deliveries
        const outcome: Outcome = {
          attack,
          isStranger,
          stallMs: mark.stallMs,
          garbageMs: mark.garbageMs,
          growthBytes: Math.max(0, mark.peakBytes - before.peakBytes),
          neighbourMs: lived.tookMs,
          neighbourErrors: lived.errors,
          told,
        }
        outcomes.push(outcome)
        say(lineOf(outcome))
        before = await asked(engine, "mark", readMark)
      }
    }
    return { outcomes, aloneMs: alone.tookMs, deliveries }
  } finally {
    await Promise.all([attacker, engine, neighbour].filter(({ connected }) => connected).map(ended))
  }
}

export const besiege = async (options: SiegeOptions): Promise<Report> => {
  const meant = attacks.flatMap((attack, nth): ReadonlyArray<Meant> =>
    options.isMeant(attack, nth) ? [{ nth, attack }] : [],
  )
  const reports: Array<Report> = []
  for (const some of Map.groupBy(meant, ({ attack }) => options.engineOf(attack)).values()) {
    reports.push(await besiegeOne(some, options))
  }
  return {
    outcomes: reports.flatMap(({ outcomes }) => outcomes),
    aloneMs: reports.flatMap(({ aloneMs }) => aloneMs),
    deliveries: reports.reduce((sum, { deliveries }) => sum + deliveries, 0),
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`

const lineOf = ({
  attack,
  garbageMs,
  growthBytes,
  isStranger,
  neighbourErrors,
  neighbourMs,
  stallMs,
  told,
}: Outcome): string =>
  `${stallMs.toFixed(0).padStart(6)} ms (garbage ${garbageMs.toFixed(0).padStart(3)}) ${megabytes(growthBytes).padStart(8)} ${Math.max(
    0,
    ...neighbourMs,
  )
    .toFixed(0)
    .padStart(
      6,
    )} ms  ${attack.route}  ${attack.name}${isStranger ? " (stranger)" : ""}  ${told}${neighbourErrors.length === 0 ? "" : `  NEIGHBOUR: ${neighbourErrors[0]}`}`

/** The value below which so many of a hundred are. */
export const percentile = (values: ReadonlyArray<number>, of: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * of) / 100))] ?? 0

const worst = (outcomes: ReadonlyArray<Outcome>, by: (outcome: Outcome) => number): Outcome | undefined =>
  outcomes.reduce<Outcome | undefined>(
    (found, one) => (found === undefined || by(one) > by(found) ? one : found),
    undefined,
  )

const named = (outcome: Outcome | undefined): string =>
  outcome === undefined ? "" : `${outcome.attack.name}${outcome.isStranger ? " (stranger)" : ""}`

/** A table: for each route the longest stall and the most memory with what caused them, and how the neighbour fared. */
export const tableOf = ({ outcomes }: Report): string => {
  const routes = Map.groupBy(outcomes, ({ attack }) => attack.route)
  const lines = [...routes].map(([route, of]) => {
    const stall = worst(of, ({ stallMs }) => stallMs)
    const growth = worst(of, ({ growthBytes }) => growthBytes)
    const took = of.flatMap(({ neighbourMs }) => neighbourMs)
    const errors = of.reduce((sum, { neighbourErrors }) => sum + neighbourErrors.length, 0)
    return `| ${route} | ${stall?.stallMs.toFixed(0)} ms | ${named(stall)} | ${megabytes(growth?.growthBytes ?? 0)} | ${named(growth)} | ${percentile(took, 99).toFixed(1)} ms | ${errors} |`
  })
  return [
    "| route | longest stall | by | memory | by | neighbour's p99 | its errors |",
    "|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n")
}
