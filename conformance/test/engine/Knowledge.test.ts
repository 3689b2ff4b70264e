import { describeEngine } from "./Judged.ts"

describeEngine("knowledge")
