import type { Call } from "../calls/rules/Call.ts"
import { type WatchedCall, watchedCall } from "../calls/rules/WatchedCall.ts"
import { FieldIndex } from "./FieldIndex.ts"

/** An ended call in the order of ends; its end stands where other rows have their creation. */
interface EndedCall {
  readonly created_at: number
  readonly sequence: number
  readonly seen: WatchedCall
}

/** The ended calls that breakers watch, of each campaign in the order in which they ended. */
export class WatchedCalls {
  readonly #byId = new Map<string, EndedCall>()
  readonly #byCampaign = new FieldIndex<EndedCall>()

  /** Takes a call as it is written. `sequence` is its place among calls of one moment. */
  put(call: Call, sequence: number): void {
    const { campaign_id, execution_id } = call
    if (campaign_id === null || call.watched !== true) return
    const known = this.#byId.get(execution_id)
    if (known !== undefined) this.#byCampaign.remove(campaign_id, known)
    this.#byId.delete(execution_id)
    const seen = watchedCall(call)
    if (seen === null) return
    const ended = { created_at: seen.ended_at, sequence, seen }
    this.#byId.set(execution_id, ended)
    this.#byCampaign.add(campaign_id, ended)
  }

  /** The newest of a campaign. */
  newest(campaignId: string, limit: number): ReadonlyArray<WatchedCall> {
    const index = this.#byCampaign.get(campaignId)
    const found: Array<WatchedCall> = []
    for (let at = index.size - 1; at >= 0 && found.length < limit; at--) {
      const ended = index.at(at)
      if (ended !== undefined) found.push(ended.seen)
    }
    return found
  }
}
