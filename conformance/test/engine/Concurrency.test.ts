import { describeEngine } from "./Judged.ts"

describeEngine("concurrency", "faults", "model")
