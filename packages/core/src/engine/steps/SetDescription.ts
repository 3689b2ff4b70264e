import type { Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Sources } from "../../Sources.ts"
import type { Guard } from "../rules/Guards.ts"

/** A set of rows by which steps decide: by all of its members, or by the absence of one. It stands in the module of its noun; `Sets.ts` collects them. */
export interface SetDescription<Key, Members> {
  /** What belongs to it, in a few words. */
  readonly members: string
  /** What stands for the set of a key. Whoever joins the set raises it (`joins` of the row's description); whoever reads the set expects it. */
  readonly guard: (key: Key) => Guard
  /** Its members, or what a step wants to know of them. */
  readonly read: (sources: Sources, key: Key) => Effect.Effect<Members, PortError>
}

/** Sets that a step may read many of at once. Each has a guard of its own, as the set of one key has. */
export interface ManySets<Key, Member> {
  /** What belongs to each, in a few words. */
  readonly members: string
  readonly guard: (key: Key) => Guard
  /** The members of each, in the order of the keys. */
  readonly read: (
    sources: Sources,
    keys: ReadonlyArray<Key>,
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Member>>, PortError>
}

/** Rows that a step finds by a query, and for which no guard stands: who joins them tells nobody. So a step only glances at them. */
export interface ListDescription<Key, Members> {
  /** What belongs to it, in a few words. */
  readonly members: string
  /** Its members, or what a step wants to know of them. */
  readonly read: (sources: Sources, key: Key) => Effect.Effect<Members, PortError>
}

/** What a step asks of somebody who is no store: the host, or who seals secrets. */
export interface Question<Key, Answer> {
  /** Who is asked what, in a few words. */
  readonly about: string
  readonly ask: (sources: Sources, key: Key) => Effect.Effect<Answer, PortError>
}
