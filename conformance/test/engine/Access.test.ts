import { describeEngine } from "./Judged.ts"

describeEngine("authentication", "organization", "routing", "decoding", "identity", "keys", "rate")
