import type { Scenario } from "./Harness.ts"
import { dispatch } from "./scenarios/Dispatch.ts"
import { fairness } from "./scenarios/Fairness.ts"
import { gate } from "./scenarios/Gate.ts"
import { http } from "./scenarios/Http.ts"
import { intake } from "./scenarios/Intake.ts"
import { limiter } from "./scenarios/Limiter.ts"
import { measuring } from "./scenarios/Measuring.ts"
import { memory } from "./scenarios/Memory.ts"
import { soak } from "./scenarios/Soak.ts"
import { virtualTime } from "./scenarios/VirtualTime.ts"
import { webhooks } from "./scenarios/Webhooks.ts"

/** Everything that is measured in rounds. */
export const scenarios: ReadonlyArray<Scenario> = [
  http,
  virtualTime,
  soak,
  limiter,
  gate,
  intake,
  fairness,
  memory,
  measuring,
  webhooks,
  dispatch,
]
