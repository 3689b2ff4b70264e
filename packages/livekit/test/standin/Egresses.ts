import { EgressInfo, EgressStatus, FileInfo } from "@livekit/protocol"
import type { Guids } from "./Guids.ts"
import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import type { Rooms } from "./Rooms.ts"
import { TwirpFailure } from "./Twirp.ts"
import type { Webhooks } from "./Webhooks.ts"

export interface EgressesOptions {
  readonly guids: Guids
  readonly clock: StandInClock
  readonly rooms: Rooms
  readonly webhooks: Webhooks
  /** How a recording ends. */
  readonly comesTo: "complete" | "failed"
}

/** From the request until it records, and from the end until the file is there. */
const startsAfterMs = 1_000
const completesAfterMs = 3_000
const nanosPerMs = 1_000_000n
const bytesPerSecond = 8_000

export type EgressRequest = EgressInfo["request"]

/** Recordings: of files alone, as their paths are asked for. */
export class Egresses {
  readonly #options: EgressesOptions
  /** All that there ever were, the first one first. */
  readonly all: Array<EgressInfo> = []

  constructor(options: EgressesOptions) {
    this.#options = options
    options.rooms.onClosed((name) => {
      for (const info of this.all) if (info.roomName === name) this.#finish(info)
    })
  }

  start(roomName: string, request: EgressRequest, filepaths: ReadonlyArray<string>): EgressInfo {
    const { clock, guids, rooms } = this.#options
    const room = rooms.must(roomName)
    const info = new EgressInfo({
      egressId: guids.next("EG"),
      roomId: room.sid,
      roomName,
      status: EgressStatus.EGRESS_STARTING,
      updatedAt: this.#nanos(),
      request,
      fileResults: filepaths.map(
        (filepath) => new FileInfo({ filename: filepath.replaceAll("{room_name}", roomName) }),
      ),
    })
    this.all.push(info)
    this.#tell("egress_started", info)
    clock.at(clock.now() + startsAfterMs, async () => {
      if (info.status !== EgressStatus.EGRESS_STARTING) return
      info.status = EgressStatus.EGRESS_ACTIVE
      info.startedAt = this.#nanos()
      this.#tell("egress_updated", info)
    })
    return info
  }

  /** livekit/livekit, `egress.go`. */
  stop(egressId: string): EgressInfo {
    const info = this.all.find((one) => one.egressId === egressId)
    if (info === undefined) throw new TwirpFailure("not_found", "egress does not exist")
    if (info.status !== EgressStatus.EGRESS_STARTING && info.status !== EgressStatus.EGRESS_ACTIVE)
      throw new TwirpFailure("failed_precondition", `egress with status ${EgressStatus[info.status]} cannot be stopped`)
    this.#finish(info)
    return info
  }

  list(by: {
    readonly roomName: string
    readonly egressId: string
    readonly active: boolean
  }): ReadonlyArray<EgressInfo> {
    return this.all.filter(
      ({ egressId, roomName, status }) =>
        (by.roomName === "" || by.roomName === roomName) &&
        (by.egressId === "" || by.egressId === egressId) &&
        (!by.active || status <= EgressStatus.EGRESS_ENDING),
    )
  }

  #nanos(): bigint {
    return BigInt(this.#options.clock.now()) * nanosPerMs
  }

  #finish(info: EgressInfo): void {
    const { clock, comesTo } = this.#options
    if (info.status > EgressStatus.EGRESS_ACTIVE) return
    // What had not begun to record when its room closed has nothing to show.
    const isAborted = info.status === EgressStatus.EGRESS_STARTING
    info.status = EgressStatus.EGRESS_ENDING
    info.endedAt = this.#nanos()
    clock.at(clock.now() + completesAfterMs, async () => {
      info.updatedAt = this.#nanos()
      if (isAborted) info.status = EgressStatus.EGRESS_ABORTED
      else if (comesTo === "failed") info.status = EgressStatus.EGRESS_FAILED
      else this.#complete(info)
      if (info.status !== EgressStatus.EGRESS_COMPLETE) {
        info.error = isAborted ? "Start signal not received" : "upload failed"
        info.fileResults = []
      }
      this.#tell("egress_ended", info)
    })
  }

  #complete(info: EgressInfo): void {
    info.status = EgressStatus.EGRESS_COMPLETE
    for (const file of info.fileResults) {
      file.startedAt = info.startedAt
      file.endedAt = info.endedAt
      file.duration = info.endedAt - info.startedAt
      file.size = (file.duration / (nanosPerMs * 1000n)) * BigInt(bytesPerSecond)
      file.location = `https://recordings.livekit.test/${file.filename}`
    }
  }

  #tell(event: string, info: EgressInfo): void {
    this.#options.webhooks.notify(event, info.roomName, { egressInfo: info.clone() })
  }
}
