/** Readings that none of these servers chose otherwise, and why none could. */
import { clauses } from "../../src/clauses/Clauses.ts"
import { readings } from "./Readings.ts"

/** A reading of which another choice cannot be shown. One that a mutant breaks must not stand here. */
const reasons: ReadonlyMap<string, string> = new Map([
  [
    "AGENT-DELETE-P2",
    "The specification says that an agent must be set back to INACTIVE before it can be archived, and that 1201 is for a state that does not allow the action.",
  ],
  [
    "AGENT-LIST-P2",
    "It is the specification's own default: sort_by is created_at and sort_order is desc unless a query says otherwise.",
  ],
  [
    "CALL-LATE-P1",
    '`is_terminal` is "true once the status will never change", so no conforming server lets a late report change it.',
  ],
  [
    "CALL-STOP-P4",
    "The specification says it itself: a call that already ended is 409, and the message names the status.",
  ],
  [
    "CALL-STOP-P6",
    "The specification says it itself: the hang-up is best effort, and the stored status flips regardless.",
  ],
  [
    "CALL-TRANSCRIPT-P3",
    "The control surface knows no carrier that hands over a text without speakers, so there is nothing in which another choice would show.",
  ],
  [
    "CALL-WINDOW-P9",
    'A time outside the window "is moved to a time inside the next open window": the next one is counted from the time that was asked for, so an earlier one breaks the sentence.',
  ],
  ["CALLER-ID-P3", "Where chance is drawn from cannot be seen: a number that was drawn otherwise is as random."],
  [
    "CAMPAIGN-CSV-P8",
    "The specification itself names bad rows by their line numbers, the header being line 1, so no conforming server names them otherwise.",
  ],
  [
    "CAMPAIGN-JSON-P3",
    '"Omitting contacts creates the policy only; nothing dials" is the specification\'s own sentence.',
  ],
  [
    "CAMPAIGN-STATUS-P6",
    'The specification says of a revive that it "keeps remaining retry budget": a contact whose pending retry the cancel removed has to have it again.',
  ],
  ["CAMPAIGN-STATUS-P7", '"Contacts skipped for other reasons stay skipped" is the specification\'s own sentence.'],
  [
    "DELIVERY-P2",
    "The specification says that anything but a 2xx within thirty seconds is retried, and a redirect is no 2xx.",
  ],
  [
    "DELIVERY-P3",
    "An endpoint of the simulated world sends no Location with its redirect, so nobody can follow it; that a redirect is retried is the specification's.",
  ],
  [
    "DELIVERY-P6",
    "The specification says that changes of a subscription are live at once in the serving process, and within sixty seconds everywhere.",
  ],
  ["ENVELOPE-P1", "It repeats the specification's sentence that a success body never has an error key."],
  ["ERROR-UPSTREAM-P3", "The table of codes says it: 1501 is for an upstream that is unreachable or returned 5xx."],
  ["ERROR-UPSTREAM-P4", "The table of codes says it: 1502 is for an upstream that timed out."],
  [
    "FAIR-P1",
    "What a batch without a campaign may have is decided inside the dispatcher; no port tells its dials from direct ones, so no server with another share for it can be made here.",
  ],
  [
    "FAIR-P2",
    "How a share is rounded is decided inside the dispatcher, which no port shows; a share rounded up could not be granted to all.",
  ],
  [
    "FAIR-P3",
    "Which campaigns are counted as active is decided inside the dispatcher, which no port shows; the mutant of FAIR-P6 counts a campaign until it is over, and is seen by lines that it leaves unused.",
  ],
  [
    "FAIR-P5",
    'A free line for a campaign below its share is the guarantee of the specification itself ("guaranteed at least organization limit / active campaigns, reserved for it").',
  ],
  [
    "FAIR-P7",
    "Who is first among those below their floor is decided inside the dispatcher, which no port shows; that they come before others follows from the guarantee.",
  ],
  [
    "FAIR-P9",
    "How many turns are carried over is decided inside the dispatcher, which no port shows; that an unused turn carries over is the specification's own sentence.",
  ],
  ["FAIR-P11", "One ceiling of the organization for all of its live calls is the specification's own table of levels."],
  [
    "KB-ADD-P2",
    "An upload that held its place for a shorter time cannot be told from one that lets a second concurrent upload in, which the specification refuses; for a longer time it would refuse one that is not concurrent.",
  ],
  [
    "KB-ADD-P3",
    "The wording is free, and a refusal that begins like one of the two other 429s would break the sentence by which those are told apart.",
  ],
  [
    "KEY-CACHE-P1",
    "How long a key is cached shows only where another process revokes it, and the suite talks to one; that one may serve a revoked key for a while is KEY-CACHE-P2.1.",
  ],
  [
    "OTHER-P1",
    "The specification lists these routes among those that need only a valid key, and gives the audit trail its scope.",
  ],
  [
    "RETRY-P5",
    '"`max_retries` counts attempts after the first, per contact" leaves no budget for each kind of outcome.',
  ],
  [
    "SCOPE-POLICY-P2",
    "Which grandfathered key holds keys:write is what the fixtures of a run ask for, and what such a key mints without scopes is said by the specification.",
  ],
  [
    "SLOT-P3",
    'A line is held until the call is terminal "and its final webhook lands", so one that is freed by the stop alone breaks the sentence.',
  ],
  [
    "SLOT-P4",
    "A reservation without its dial shows only after a crash of the process, which no black box can bring about.",
  ],
  [
    "SLOT-P9",
    'The specification says it itself: with concurrency management off "counters still count but nothing is refused".',
  ],
  [
    "SLOT-P12",
    'The reading is an upper bound: a shorter cache keeps it, and a longer one breaks "changes take effect within a minute".',
  ],
  ["STATUS-MOVE-P2", "The history of refused reports is shown by no route."],
  [
    "STATUS-MOVE-P9",
    '`is_terminal` is "true once the status will never change", so no conforming server has a move out of a terminal status.',
  ],
  ["SUBSCRIPTION-P2", "The specification calls both the headers and the secret write-only."],
  [
    "WEBHOOK-TARGET-P7",
    "An endpoint of the simulated world answers at once, late or never; it cannot send the headers of its answer and then a body that drips.",
  ],
])

/** Readings that can be seen, of which there is neither a mutant nor a reason why there is none. */
export const unopposed = (): ReadonlyArray<string> => {
  const opposed = new Set(readings.map(({ clause }) => clause))
  return clauses.flatMap(({ id, level, observable }) =>
    level === "profile" && observable !== "no" && !opposed.has(id) && !reasons.has(id) ? [id] : [],
  )
}

/** Reasons of readings that are not there, or that a mutant breaks after all. */
export const needlessReasons = (): ReadonlyArray<string> => {
  const opposed = new Set(readings.map(({ clause }) => clause))
  const known = new Set(clauses.map(({ id }) => id))
  return [...reasons.keys()].filter((id) => !known.has(id) || opposed.has(id))
}
