export { expectedFailures, type ExpectedFailure, isExpected } from "./Expected.ts"
export { explore, type Interleaving, type Outcome } from "./Explorer.ts"
export type { Violation } from "./Laws.ts"
export { type Operation, operations } from "./Operations.ts"
export {
  everyPair,
  named,
  type Pair,
  play,
  type Played,
  playPair,
  playTriple,
  told,
  type Triple,
  triples,
} from "./Pairs.ts"
export { type Place, race } from "./Race.ts"
export { type Scene, scenes, type Stage } from "./Scenes.ts"
export { setLaws } from "./Sets.ts"
export { type Contents, lawsAtRest } from "./Stored.ts"
