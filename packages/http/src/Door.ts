import { BearerHeader } from "@carillon/core/domain"
import type { EdgeHandler, LateBody, Pace } from "./Edge.ts"
import { type Entrance, entrance } from "./Entrance.ts"
import { nextTurn } from "./Turns.ts"

/** Who names no key, or none that is known. */
export const nobody = ""

/** The door of a mount. */
export const openDoor = (): Entrance => entrance(nextTurn)

/** No header that names a key is longer. */
const authorizationMax = 128

/** The key that a request names. */
const keyOf = (authorization: string | null): string => {
  if (authorization === null || authorization.length > authorizationMax) return nobody
  const bearer = BearerHeader.parseBearer(authorization)
  return bearer.ok ? bearer.key : nobody
}

/** Takes up requests, and the pieces and ends of their bodies, as an entrance lets them in. */
export const atDoor = (handle: EdgeHandler, door: Entrance = openDoor()): EdgeHandler => {
  return (request, respond) => {
    const who = keyOf(request.header("authorization"))
    const { lateBody } = request
    const pace: Pace = (goOn) => door.enter(who, goOn)
    const enteringBody: LateBody | undefined =
      lateBody &&
      (({ maxBytes, take }, read) => lateBody({ maxBytes, take, pace }, (body) => door.enter(who, () => read(body))))
    door.enter(who, () =>
      handle({ ...request, lateBody: enteringBody }, (told) => {
        // While keys cannot be looked up nothing is learnt of them.
        if (who !== nobody && told.status < 500) door.know(who, told.status !== 401)
        respond(told)
      }),
    )
  }
}
