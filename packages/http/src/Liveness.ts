import { limits, type Pulse } from "@carillon/core"

/** Whether a process that answers does its work as well, by what it knows of itself: nobody is asked. */
export interface Liveness {
  /** False: it should be started again. */
  readonly alive: boolean
  /** `still`: no turn of the driver, which takes up what is due, has ended for two minutes (`limits.driverStillMs`). Null where none runs here. */
  readonly driver: "ok" | "still" | null
}

/** What the beats of the driver say. A store that is away ends its turns, and does not hold them up. */
export const livenessBy = (pulse: Pick<Pulse, "stillMs">): Liveness => {
  const stillMs = pulse.stillMs()
  if (stillMs === null) return { alive: true, driver: null }
  const alive = stillMs < limits.driverStillMs
  return { alive, driver: alive ? "ok" : "still" }
}
