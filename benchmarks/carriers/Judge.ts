import type { Leg } from "./Leg.ts"
import type { SeenCall, SeenContact, SeenStats, SeenUsage } from "./Reader.ts"

/** Everything that a campaign has left behind: at the carrier, and in the rows as `/v2` shows them. */
export interface Left {
  readonly numbers: ReadonlyArray<string>
  readonly maxRetries: number
  readonly legs: ReadonlyArray<Leg>
  readonly calls: ReadonlyArray<SeenCall>
  readonly contacts: ReadonlyArray<SeenContact>
  readonly stats: SeenStats
  readonly usage: SeenUsage
  /** What the wallet has paid. */
  readonly paid: number
  /** Lines that are still in use. */
  readonly lines: number
}

/** A cent's millionth: sums of floating numbers. */
const slack = 1e-6
const isSame = (a: number, b: number): boolean => Math.abs(a - b) < slack

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, value) => all + value, 0)

const grouped = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(items, keyOf)

/** One leg for each call at most, and none for a call that nobody knows. */
const legFaults = ({ calls, legs }: Left): ReadonlyArray<string> => {
  const known = new Set(calls.map(({ execution_id }) => execution_id))
  const byCall = grouped(legs, ({ execution_id }) => execution_id ?? "nobody")
  return [...byCall].flatMap(([id, own]) => [
    ...(own.length > 1 ? [`${id}: was dialled ${own.length} times`] : []),
    ...(known.has(id) ? [] : [`${id}: has a leg to ${own[0]?.to} and no row`]),
    ...own.flatMap(({ endedAt, to }) => (endedAt === null ? [`${id}: its leg to ${to} has not ended`] : [])),
  ])
}

/** Nobody is rung while somebody talks to them, too often, or again once they were reached. */
const numberFaults = ({ calls, legs, maxRetries }: Left): ReadonlyArray<string> => {
  const statuses = new Map(calls.map(({ execution_id, status }) => [execution_id, status]))
  return [...grouped(legs, ({ to }) => to)].flatMap(([to, unsorted]) => {
    const own = unsorted.toSorted((a, b) => a.createdAt - b.createdAt)
    return own.flatMap((leg, nth) => {
      const before = own[nth - 1]
      const isKnown = before !== undefined && statuses.get(before.execution_id ?? "") === "completed"
      return [
        ...(nth > maxRetries ? [`${to}: was rung ${nth + 1} times`] : []),
        ...(before !== undefined && leg.createdAt < (before.endedAt ?? Infinity)
          ? [`${to}: was rung while its last call went on`]
          : []),
        ...(before?.wasReached === true && isKnown ? [`${to}: was rung again though it had been reached`] : []),
      ]
    })
  })
}

/** A call is what its leg was. One without a leg came to nothing and cost nothing. */
const callFault = (call: SeenCall, leg: Leg | undefined): ReadonlyArray<string> => {
  const why = call.error === undefined ? "" : `: ${call.error.message}`
  const id = `${call.execution_id} (${call.status}${why}, ${call.created_at} to ${String(call.completed_at)})`
  const { duration_seconds, is_terminal, status } = call
  if (!is_terminal) return [`${id}: has not ended`]
  if (leg === undefined) {
    const isNothing = (status === "error" || status === "failed") && call.cost.total === 0
    return isNothing ? [] : [`${id}: has no leg, and costs ${call.cost.total}`]
  }
  const { least, most } = leg.seconds ?? { least: 0, most: Infinity }
  const seconds = duration_seconds ?? 0
  return [
    ...(leg.statuses.includes(status)
      ? []
      : [`${id}: its leg was ${leg.statuses.join(" or ")} until ${new Date(leg.endedAt ?? 0).toISOString()}`]),
    ...(seconds >= least && seconds <= most
      ? []
      : [`${id}: lasted ${String(duration_seconds)} s, its leg ${least} to ${most}`]),
    ...(leg.costs.some((cost) => isSame(call.cost.total, cost))
      ? []
      : [`${id}: costs ${call.cost.total}, its leg ${leg.costs.join(" or ")}`]),
  ]
}

const callFaults = ({ calls, legs }: Left): ReadonlyArray<string> => {
  const byId = new Map(legs.map((leg) => [leg.execution_id, leg]))
  return calls.flatMap((call) => callFault(call, byId.get(call.execution_id)))
}

/** Every contact is there once and has ended, by its calls: reached where one of them was, and with an attempt for each. */
const contactFaults = ({ calls, contacts, maxRetries, numbers }: Left): ReadonlyArray<string> => {
  const own = grouped(calls, ({ contact_id }) => contact_id ?? "nobody")
  const byNumber = grouped(contacts, ({ to_number }) => to_number)
  return [
    ...numbers.flatMap((number) => ((byNumber.get(number) ?? []).length === 1 ? [] : [`${number}: is not there once`])),
    ...contacts.flatMap(({ attempts, contact_id, status, to_number }) => {
      const attempted = own.get(contact_id) ?? []
      const isReached = attempted.some((call) => call.status === "completed")
      return [
        ...(status === (isReached ? "completed" : "failed") ? [] : [`${to_number}: is ${status}`]),
        ...(attempts === attempted.length ? [] : [`${to_number}: ${attempts} attempts, ${attempted.length} calls`]),
        ...(attempts >= 1 && attempts <= 1 + maxRetries ? [] : [`${to_number}: ${attempts} attempts`]),
      ]
    }),
  ]
}

const mismatch = (what: string, is: number, shall: number): ReadonlyArray<string> =>
  isSame(is, shall) ? [] : [`${what}: ${is}, and not ${shall}`]

/** Counters, usage and wallet are what calls and contacts add up to, and all lines are free. */
const sumFaults = ({ calls, contacts, lines, paid, stats, usage }: Left): ReadonlyArray<string> => {
  const { completed, failed, in_flight, pending } = stats.outcome_counts
  const inStatus = (status: string) => contacts.filter((contact) => contact.status === status).length
  const cost = sum(calls.map((call) => call.cost.total))
  const byStatus = grouped(calls, ({ status }) => status)
  return [
    ...mismatch("lines in use", lines, 0),
    ...mismatch("stats: contacts", stats.total_contacts, contacts.length),
    ...mismatch("stats: contacts dialled", stats.contacts_dialled, contacts.length),
    ...mismatch("stats: completed", completed, inStatus("completed")),
    ...mismatch("stats: failed", failed, inStatus("failed")),
    ...mismatch("stats: under way", in_flight + pending, 0),
    ...mismatch("stats: attempts", stats.total_call_attempts, calls.length),
    ...mismatch("usage: calls", usage.total_calls, calls.length),
    ...mismatch("usage: cost", usage.total_cost, cost),
    ...mismatch(
      "usage: seconds",
      usage.total_duration_seconds,
      sum(calls.map(({ duration_seconds }) => duration_seconds ?? 0)),
    ),
    ...[...byStatus].flatMap(([status, own]) =>
      mismatch(`usage: ${status}`, usage.status_counts[status] ?? 0, own.length),
    ),
    ...mismatch("wallet: paid", paid, cost),
  ]
}

/** Everything that is wrong with what a campaign has left behind. */
export const faultsOf = (left: Left): ReadonlyArray<string> => [
  ...legFaults(left),
  ...numberFaults(left),
  ...callFaults(left),
  ...contactFaults(left),
  ...sumFaults(left),
]
