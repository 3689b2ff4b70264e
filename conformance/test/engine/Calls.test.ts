import { describeEngine } from "./Judged.ts"

describeEngine("calls/lifecycle", "calls/stop")
