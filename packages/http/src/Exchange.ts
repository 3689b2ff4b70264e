import type { Caller } from "@carillon/core"
import type { RateFigures } from "@carillon/core/domain"
import type { EdgeRequest } from "./Edge.ts"
import type { Operation } from "./Operation.ts"
import type { RouteMatch } from "./RouteTable.ts"

/** One request on its way through the pipeline, with what the pipeline has found out so far: the answer's headers need it. */
export interface Exchange {
  readonly request: EdgeRequest
  readonly request_id: string
  readonly query: string
  readonly match: RouteMatch<Operation> | undefined
  caller: Caller | null
  /** Whether what was asked for records its failure itself. */
  isRecorded: boolean
  /** The plan of the key, once there is one. */
  plan: string | null
  /** The live figures, once the limiter was asked. */
  rate: RateFigures | null
}
