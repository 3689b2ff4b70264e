import { describeEngine } from "./Judged.ts"

describeEngine("experiments", "numbers", "usage", "idempotency")
