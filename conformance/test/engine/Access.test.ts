import { describeEngine } from "./Judged.ts"

describeEngine("authentication", "errors", "organization", "routing", "decoding", "identity", "keys", "rate")
