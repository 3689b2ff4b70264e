import type { CallRecord } from "./CallRecord.ts"
import type { RequestEntry } from "./Journal.ts"
import type { TelnyxStandIn } from "./StandIn.ts"

/** A question of a host's for events: about one leg, or about all legs to a number. */
interface Question {
  readonly at: number
  readonly isAnswered: boolean
}

/** What a host was told of a leg by the list of events. */
export interface Told {
  /** Whether every question for its events was answered. Only then must the host know of it what Telnyx knows. */
  readonly always: boolean
  /** When the last question for the events of this very leg was answered; null where none was. */
  readonly lastAt: number | null
}

const askedAbout = ({ path }: RequestEntry): string | null => {
  if (!path.startsWith("/v2/call_events")) return null
  const { searchParams } = new URL(path, "http://127.0.0.1")
  return searchParams.get("filter[leg_id]") ?? searchParams.get("filter[to]")
}

/** What the list of events has told of each leg by now. Telnyx's document: of a leg it lists all events, whether a webhook of them arrived or not. */
export const toldBy = (standIn: TelnyxStandIn): ((call: CallRecord) => Told) => {
  const questions = new Map<string, Array<Question>>()
  let read = 0
  return ({ call_leg_id, to }) => {
    for (const request of standIn.requests().slice(read)) {
      read += 1
      const about = askedAbout(request)
      if (about === null) continue
      const known = questions.get(about) ?? []
      known.push({ at: request.at, isAnswered: request.status === 200 })
      questions.set(about, known)
    }
    const ofLeg = questions.get(call_leg_id) ?? []
    return {
      always: [...ofLeg, ...(questions.get(to) ?? [])].every(({ isAnswered }) => isAnswered),
      lastAt: ofLeg.findLast(({ isAnswered }) => isAnswered)?.at ?? null,
    }
  }
}
