import type { World } from "../World.ts"
import { CallPace } from "./CallPace.ts"
import { LineHistory } from "./LineHistory.ts"
import { ReceivedWebhooks } from "./Received.ts"

/** What is kept of a world for those who look at it. */
export class Watch {
  readonly history: LineHistory
  readonly pace = new CallPace()
  readonly received: ReceivedWebhooks

  constructor(world: World) {
    const { clock, tables } = world
    this.history = new LineHistory(tables)
    this.received = new ReceivedWebhooks(world)
    tables.onCommit((commit) => {
      this.history.observe(commit, clock.now())
      this.pace.observe(commit, clock.now())
    })
  }
}
