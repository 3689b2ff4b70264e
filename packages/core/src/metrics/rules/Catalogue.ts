import { dependencies } from "../../Errors.ts"
import { buckets } from "../../limits/rules/Buckets.ts"
import { slotLevels } from "../../limits/rules/SlotLevels.ts"
import { wakeupKinds } from "../../engine/rules/Wakeup.ts"
import { unreadableReasons } from "../../secrets/rules/SecretUnreadable.ts"
import { errorClasses } from "../../webhooks/rules/ErrorClass.ts"
import { counter, type Declaration, gauge, histogram, oneOf, upTo } from "./Declaration.ts"

/** Seconds, for what takes milliseconds: the boundaries that OpenTelemetry advises, and two shorter ones. */
const short = histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])
/** Seconds, for what waits for people, lines and other servers. */
const long = histogram([0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600])
const sizes = histogram([1, 2, 4, 8, 16, 32, 64])

const kind = oneOf("kind", wakeupKinds, "what there is to look at")
const level = oneOf("level", slotLevels, "the level of the ceilings")
const origin = oneOf("origin", ["direct", "booked", "contact"], "a request, a booked time, or a contact of a batch")
const carrier = upTo("carrier", 16, "the name that the carrier has among several, or by `CarrierName`")

const dependency = oneOf(
  "dependency",
  ["postgresql", "redis", "carrier", "store", "credentials"],
  "the dependency; `store` is one of the host's own, `credentials` that a carrier takes ours",
)
const whichCarrier = upTo(
  "carrier",
  16,
  "of `carrier` and `credentials` the name that the carrier has; empty, which to Prometheus is no label, of the others",
)

const withheldReasons = [
  "wallet",
  "agent",
  "caller_id",
  "suppressed",
  "hours",
  "caps",
  "lines",
  "held",
  "carrier",
] as const

/** Why somebody was not dialled whose turn had come. The last three are told of direct calls alone. */
export type WithheldReason = (typeof withheldReasons)[number]

/** Everything that is measured, and nothing else is. */
export const metrics = {
  requests: short(
    "http.server.request.duration",
    "s",
    "Time from a request that was read to its answer.",
    oneOf("http.request.method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "other"], "the method"),
    upTo(
      "http.route",
      128,
      "the route of the contract, such as `/v2/calls/:execution_id`; `unmatched` where there is none",
    ),
    oneOf("http.response.status_class", ["1xx", "2xx", "3xx", "4xx", "5xx"], "the class of the status"),
  ),
  openRequests: gauge(
    "http.server.active_requests",
    "{request}",
    "Requests that are being answered, those that wait for a line among them.",
  ),
  database: short(
    "db.client.operation.duration",
    "s",
    "Time that an operation of a store took.",
    oneOf("db.system.name", ["postgresql", "redis"], "what was asked"),
    upTo("db.operation.name", 24, "`read` or `commit` on PostgreSQL; on Redis the script"),
    oneOf("store", dependencies, "what it belongs to; a commit is a group of them and counts for its first"),
    oneOf("outcome", ["ok", "unavailable", "timeout"], "how it ended"),
  ),
  dependencyUp: gauge(
    "carillon.dependency.up",
    "{dependency}",
    "1 while a dependency answers this process, 0 while it does not.",
    dependency,
    whichCarrier,
  ),
  dependencyFailures: counter(
    "carillon.dependency.failures",
    "{operation}",
    "Operations that a dependency did not answer.",
    dependency,
    whichCarrier,
  ),
  commits: counter(
    "carillon.commits",
    "{commit}",
    "Commits that a step has sent to the store, by their answer.",
    oneOf(
      "outcome",
      ["applied", "conflict", "full", "unavailable", "timeout", "invalid"],
      "`conflict`: a row had changed; `full`: the committed calls left no room",
    ),
  ),
  commitRetries: counter(
    "carillon.commit.retries",
    "{commit}",
    "Commits that were decided anew or sent again.",
    oneOf("reason", ["conflict", "answer_lost"], "why"),
  ),
  groupSizes: sizes(
    "carillon.commit.group.size",
    "{commit}",
    "Commits that were written to PostgreSQL in one transaction.",
  ),
  wakeupLag: long("carillon.wakeup.lag", "s", "How long a wake-up was due before a process claimed it.", kind),
  wakeups: counter(
    "carillon.wakeups",
    "{wakeup}",
    "Wake-ups that were handled.",
    kind,
    oneOf("outcome", ["done", "failed", "interrupted"], "`failed` ones are tried again after five seconds"),
  ),
  claimsHeld: gauge("carillon.claims.held", "{claim}", "Wake-ups that this process is handling."),
  claimsOldest: gauge(
    "carillon.claims.oldest.age",
    "s",
    "For how long this process has been handling the one that it has handled the longest; 0 where it handles none. Longer than three minutes is a handler that hangs.",
  ),
  claimsLost: counter(
    "carillon.claims.lost",
    "{claim}",
    "Claims that others had when this process came to renew them: it was stopped, or too slow.",
  ),
  claimsTakenOver: counter(
    "carillon.claims.taken_over",
    "{claim}",
    "Claims that this process took over from others, which had not renewed them: each is a line in the log for the process that was lost.",
  ),
  backlogSize: gauge(
    "carillon.backlog.size",
    "{wakeup}",
    "Wake-ups that are due and that nobody handles, in all processes, counted up to ten thousand. `event` and `delivery` are the outbox.",
    kind,
  ),
  backlogAge: gauge("carillon.backlog.age", "s", "How long the oldest of them has been due.", kind),
  linesUsed: gauge(
    "carillon.lines.used",
    "{line}",
    "Lines in use: of the platform all, of the other levels the most that one organization, agent or campaign has. Those are told by the process that compares lines with rows.",
    level,
  ),
  linesCeiling: gauge(
    "carillon.lines.ceiling",
    "{line}",
    "The ceiling of the platform, and of the organization that has the most lines in use.",
    oneOf("level", ["platform", "organization"], "the level of the ceilings"),
  ),
  lineRequests: counter(
    "carillon.line.requests",
    "{dial}",
    "Dials that asked for a line.",
    oneOf(
      "outcome",
      ["reserved", "counted", "platform_full", "organization_full", "agent_full", "campaign_full"],
      "`counted`: the counters are away and the commit decides; full is the level that blocked it when its wait was over",
    ),
  ),
  linesSilent: gauge(
    "carillon.lines.silent",
    "{line}",
    "Lines whose calls nobody has heard of for a minute or longer. Told by the process that compares lines with rows.",
  ),
  linesSilentAge: gauge(
    "carillon.lines.silent.age",
    "s",
    "For how long nobody has heard of the call that has been silent the longest; 0 where none is.",
  ),
  linesWaiting: gauge("carillon.lines.waiting", "{dial}", "Dials of this process that wait for a line."),
  linesDegraded: gauge(
    "carillon.lines.degraded",
    "{process}",
    "1 while this process gives lines by the count of committed calls, because the counters are away.",
  ),
  diallingHeld: gauge("carillon.dialling.held", "{installation}", "1 while dialling is held."),
  dialDelay: long(
    "carillon.dial.delay",
    "s",
    "Time from when a call was due to when the carrier was asked to dial it.",
    origin,
  ),
  dialsWithheld: counter(
    "carillon.dials.withheld",
    "{dial}",
    "Times that somebody's turn had come and nobody was dialled. A contact that is held counts once for each hold. Of direct calls those count that were refused, or booked for a better hour, but not what is wrong in the request itself. Which ceilings refuse a line, what carriers answer and whether all dialling is held have metrics of their own, so of contacts and booked calls these are not counted here.",
    origin,
    oneOf(
      "reason",
      withheldReasons,
      "the wallet carries nothing, or not this call; the agent may place no calls; no number to call from is left; the number must not be called; not at this hour; it was called as often as it may be; of direct calls also: no line came free in time; all dialling is held; the carrier refused it, or is left alone",
    ),
  ),
  emptyWallets: gauge(
    "carillon.wallets.empty",
    "{organization}",
    "Organizations whose wallet carries no call, of those for which this process was to dial in the last ten minutes.",
  ),
  dials: long(
    "carillon.dial.duration",
    "s",
    "Time that the carrier took to answer a dial; its count is the number of dials.",
    carrier,
    oneOf(
      "outcome",
      ["accepted", "unreachable", "rejected", "invalid_destination", "insufficient_funds", "throttled", "unknown"],
      "what it answered; `unknown`: nothing in time, or nothing that can be used",
    ),
    oneOf("attempt", ["first", "retry", "follow_up"], "which attempt on the number it is"),
  ),
  dialsTooLate: counter(
    "carillon.dials.too_late",
    "{dial}",
    "Dials that were not made, because the carrier might have been asked about them already or their line was lost.",
  ),
  carrierQuestions: counter(
    "carillon.carrier.questions",
    "{question}",
    "What the carrier was asked besides dials.",
    carrier,
    oneOf("operation", ["hangup", "find"], "what was asked"),
    oneOf(
      "outcome",
      ["answered", "refused", "no_answer"],
      "how it ended; `no_answer`: nothing in time, or nothing that can be used",
    ),
  ),
  carrierMistakes: counter(
    "carillon.carrier.mistakes",
    "{answer}",
    "Answers of the carrier's code that were none: it threw, answered what cannot be read, or the vendor refuses what it needs. Each is an error in the log.",
    carrier,
    oneOf(
      "operation",
      ["dial", "hangup", "find", "choose", "report"],
      "what was asked; `choose` is the route to several carriers, `report` what came in by itself",
    ),
  ),
  carrierCallbacks: counter(
    "carillon.carrier.callbacks",
    "{callback}",
    "Callbacks of a carrier, by their answer: what it posts to the public address.",
    carrier,
    oneOf(
      "answer",
      ["taken", "malformed", "forged", "too_long", "not_kept"],
      "`forged`: the signature is not the carrier's, or is of another address; `not_kept` ones come again",
    ),
  ),
  reports: counter(
    "carillon.carrier.reports",
    "{report}",
    "Reports of the carrier.",
    oneOf(
      "receipt",
      ["applied", "repeated", "unknown_execution", "refused"],
      "`refused` ones have to be sent again, or are malformed",
    ),
  ),
  callEnds: counter(
    "carillon.call.ends",
    "{call}",
    "Ends of calls that were at the carrier, by how they became known.",
    oneOf(
      "heard",
      ["told", "asked"],
      "`told`: the carrier reported it; `asked`: it had not, and was asked about a call that was silent",
    ),
  ),
  reportsKept: gauge(
    "carillon.carrier.reports.kept",
    "{report}",
    "Reports that this process could not store, and hands in again until they are.",
  ),
  reportsGivenUp: counter(
    "carillon.carrier.reports.given_up",
    "{report}",
    "Kept reports that this process gave up, because too many came or because it ended.",
  ),
  reconcilerTicks: counter(
    "carillon.reconciler.ticks",
    "{tick}",
    "Comparisons of lines with rows.",
    oneOf("outcome", ["done", "failed"], "how they ended"),
  ),
  reconcilerFindings: counter(
    "carillon.reconciler.findings",
    "{line}",
    "Lines that disagreed with the rows and were repaired.",
    oneOf(
      "finding",
      ["missing", "stale", "stray"],
      "a call without its line, a line whose call is over, a line of no call",
    ),
  ),
  rateDecisions: counter(
    "carillon.rate_limit.decisions",
    "{request}",
    "Requests that were judged by their rate.",
    oneOf("bucket", buckets, "the bucket"),
    oneOf(
      "decision",
      ["allowed", "refused", "failed_open"],
      "`failed_open`: the counters are away, and nobody is refused",
    ),
  ),
  deliveryAttempts: long(
    "carillon.webhook.attempt.duration",
    "s",
    "Time that an attempt at an endpoint took; its count is the number of attempts.",
    oneOf(
      "outcome",
      ["delivered", "refused", ...errorClasses],
      "how it ended; `refused`: the destination is not allowed",
    ),
  ),
  deliveriesRunning: gauge("carillon.webhook.in_flight", "{delivery}", "Attempts of this process that are under way."),
  deliveriesQueued: gauge(
    "carillon.webhook.queued",
    "{delivery}",
    "Deliveries of this process that wait for a place at their endpoint.",
  ),
  endpointsFailing: gauge(
    "carillon.webhook.endpoints.failing",
    "{endpoint}",
    "Endpoints that take no webhooks, as far as this process has asked them in the last five minutes: they refused two attempts in a row, or let one wait for all its time.",
  ),
  endpointsFailingAge: gauge(
    "carillon.webhook.endpoints.failing.age",
    "s",
    "For how long the one of them that has failed the longest has taken nothing; 0 where none fails.",
  ),
  deliveriesGivenUp: counter(
    "carillon.webhook.given_up",
    "{delivery}",
    "Deliveries that no attempt has brought to their endpoint. They are `failed` in the ledger, and go out again only when somebody redelivers them.",
  ),
  unreadableSecrets: counter(
    "carillon.secrets.unreadable",
    "{read}",
    "Secrets that did not open when they were needed: their deliveries are held.",
    oneOf(
      "reason",
      unreadableReasons,
      "`unknown_key`: this process has not the key; `damaged`: what lies there was changed, or was sealed for another place",
    ),
  ),
  clockTime: gauge(
    "carillon.clock.time",
    "s",
    "What time it is to this process, in seconds since 1970. Less `timestamp()` of itself it is how far that is from the time of Prometheus.",
  ),
  clockJumps: counter(
    "carillon.clock.jumps",
    "{jump}",
    "Times that the clock of this process's machine was set by a second or more, or that the machine stood still, while the process ran.",
    oneOf("direction", ["forward", "back"], "where to"),
  ),
  draining: gauge(
    "carillon.process.draining",
    "{process}",
    "1 from when this process says that it leaves, and is not ready any more, until it has left its work to others.",
  ),
} as const

/** The same as a list, in the order in which the documentation tells of them. */
export const catalogue: ReadonlyArray<Declaration> = Object.values(metrics)
