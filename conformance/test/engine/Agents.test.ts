import { describeEngine } from "./Judged.ts"

describeEngine("agents", "calls/create", "calls/read", "calls/records")
