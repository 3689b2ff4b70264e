import { bodyLimit, isTakenLate } from "./BodyLimit.ts"
import { type EdgeRequest, splitTarget } from "./Edge.ts"
import { ReadingRoom } from "./ReadingRoom.ts"

/**
 * Takes the bodies of requests before these take their turn, for a host that lets them in one at a time and keeps a journal of them. It
 * decides itself who may send one; uploads stay on their way.
 */
export class EarlyBodies {
  readonly #room = new ReadingRoom()

  /** Goes on with the request as soon as its body is there, and with what gives back its room once it was answered. */
  take(request: EdgeRequest, organizationId: string, goOn: (whole: EdgeRequest, answered: () => void) => void): void {
    const { lateBody, method, target } = request
    const { path } = splitTarget(target)
    if (lateBody === undefined || isTakenLate(method, path)) return goOn(request, () => {})
    const reading = this.#room.enter(organizationId, bodyLimit(method, path))
    lateBody(reading, (body) => goOn({ ...request, body, lateBody: undefined }, reading.leave))
  }
}
