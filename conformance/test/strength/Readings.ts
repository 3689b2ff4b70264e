/** Servers that do not share a published reading: without a profile they fail nothing, unless they break a sentence as well. */
import { findClause } from "../../src/clauses/Clauses.ts"
import type { Mutant } from "./Mutant.ts"
import { mutants } from "./Mutants.ts"

/** The mutants of clauses that only a profile asks for. */
export const readings: ReadonlyArray<Mutant> = mutants.filter(({ clause }) => findClause(clause)?.level === "profile")

/** What a mutant of a reading breaks of the specification's own text. */
export interface Rightly {
  readonly id: string
  /** Required clauses, of which a check fails. */
  readonly clauses: ReadonlyArray<string>
  /** Why the failure is right, in one sentence. */
  readonly why: string
}

const rightly = (id: string, clauses: string, why: string): Rightly => ({ id, clauses: clauses.split(" "), why })

/** The mutants of readings that rightly fail without a profile. A failure that is not here is a false one. */
export const rightlyFailing: ReadonlyArray<Rightly> = [
  rightly(
    "AGENT-STATUS-P5.1",
    "AGENT-FIELD-7 ERROR-2 ERROR-3",
    "What a status may be is listed for the create as well, so a value that is none is refused by name.",
  ),
  rightly(
    "AUDIT-P1.8",
    "PAGE-2 PAGE-7",
    "It answers with a list and its pagination, which says another page than the one asked for.",
  ),
  rightly(
    "BATCH-CREATE-P1.1",
    "CAMPAIGN-ERROR-7",
    "Contacts must be required somewhere for their absence to be an error, and a batch is nothing but its contacts.",
  ),
  rightly("CALL-CREATE-P6.1", "PAGE-4 PAGE-6", "The record is in the total only: no page of the list has it."),
  rightly(
    "CALL-WINDOW-P5.1",
    "CALL-WINDOW-2",
    "It moves the call to a moment before the skipped hour, when every clock still shows a time before the window.",
  ),
  rightly(
    "CALLER-ID-P1.1",
    "CAMPAIGN-FIELD-7",
    "One number for every call is no round robin over those that were given.",
  ),
  rightly(
    "CONTACT-HOLD-P6.1",
    "STATUS-12",
    "A number that cannot be dialled neither rang out nor was answered by a voicemail box, so it is no `no-answer`.",
  ),
  rightly(
    "DECODE-P10.2",
    "ERROR-STATUS-2 ENVELOPE-5",
    "414 is no status of this interface, and not the one of its code.",
  ),
  rightly(
    "ENVELOPE-P4.1",
    "ENVELOPE-6",
    "It quotes what is one character longer than a phone number, and so the phone number in it.",
  ),
  rightly(
    "FAIR-P8.1",
    "FAIR-3 FAIR-4 FAIR-6 FAIR-9 CAMPAIGN-FIELD-14",
    "A campaign that is alone has no line at all for a minute, neither the whole limit nor what its ceiling allows.",
  ),
  rightly(
    "FAIR-P10.1",
    "FAIR-1 FAIR-2",
    "A campaign that asks for lines is without its guaranteed share for a minute.",
  ),
  rightly("FOLLOW-UP-P5.1", "STATS-9", "The breakdown of retries is said to exclude follow-ups."),
  rightly("KEY-REVOKE-P2.1", "TENANCY-2", "It answers 200 for a key of another organization as well, which is 404."),
  rightly(
    "PIPELINE-P3.3",
    "ERROR-STATUS-2 ENVELOPE-5",
    "405 is no status of this interface, and not the one of its code.",
  ),
  rightly(
    "RATE-P3.1",
    "RATE-HEADERS-1 RATE-HEADERS-4 RATE-1 RATE-11",
    "It shows every organization more requests left than it has, beyond the limit.",
  ),
  rightly(
    "RETRY-P3.1",
    "CAMPAIGN-FIELD-16 CAMPAIGN-FIELD-17 STATS-9 STATS-11 CAMPAIGN-STATUS-6 CAMPAIGN-STATUS-19",
    "Busy is a failure, retries are on unless they are turned off, and of two other ends alone it is said that they are no retry trigger.",
  ),
  rightly(
    "STATUS-MOVE-P3.1",
    "CALL-WINDOW-1 CALL-WINDOW-8",
    "A window that an edit gives is never kept, so a call that is placed later is dialled outside it.",
  ),
]

/** A check that failed, where it did, and what it is about. */
export interface ReadingFailure {
  /** The case and the check, or the ambient rule. */
  readonly at: string
  /** None where the case itself failed, by throwing or for want of something. */
  readonly clauses: ReadonlyArray<string>
}

/** What failed on a mutant of a reading where no profile was named. */
export interface ReadingJudgement {
  readonly id: string
  readonly breaks: string
  readonly failures: ReadonlyArray<ReadingFailure>
  /** False where its time was over before every case had run. */
  readonly whole: boolean
}

const rightlyOf = (id: string): ReadonlyArray<string> =>
  rightlyFailing.flatMap((each) => (each.id === id ? each.clauses : []))

/** Failures of checks about none of the clauses that the mutant is known to break. */
export const falseFailures = ({ failures, id }: ReadingJudgement): ReadonlyArray<string> => {
  const known = new Set(rightlyOf(id))
  return failures
    .filter(({ clauses }) => !clauses.some((clause) => known.has(clause)))
    .map(({ at, clauses }) => `${id}: ${at} (${clauses.join(" ")})`)
}

/** Clauses that the mutant is said to break, of which no check failed. */
export const staleClauses = ({ failures, id }: ReadingJudgement): ReadonlyArray<string> => {
  const failed = new Set(failures.flatMap(({ clauses }) => clauses))
  return rightlyOf(id)
    .filter((clause) => !failed.has(clause))
    .map((clause) => `${id}: ${clause}`)
}

/** What the judgements of many readings came to. */
export interface ReadingsSummary {
  readonly judged: number
  /** Mutants that rightly fail a required clause. */
  readonly rightly: number
  readonly falseFailures: ReadonlyArray<string>
  /** Clauses of the list that nothing fails any more. */
  readonly stale: ReadonlyArray<string>
  /** Mutants whose time was over. */
  readonly cut: ReadonlyArray<string>
  readonly seconds: number
}

/** Counts the judgements that are whole; those of `wanted` that are missing or not whole were cut. */
export const readingsSummaryOf = (
  wanted: ReadonlyArray<Pick<Mutant, "id">>,
  judgements: ReadonlyArray<ReadingJudgement>,
  seconds: number,
): ReadingsSummary => {
  const whole = judgements.filter((each) => each.whole)
  const done = new Set(whole.map(({ id }) => id))
  return {
    judged: whole.length,
    rightly: whole.filter(({ failures, id }) => failures.length > 0 && rightlyOf(id).length > 0).length,
    falseFailures: judgements.flatMap(falseFailures),
    stale: whole.flatMap(staleClauses),
    cut: wanted.flatMap(({ id }) => (done.has(id) ? [] : [id])),
    seconds: Math.round(seconds),
  }
}
