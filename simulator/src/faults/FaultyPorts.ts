import {
  type Change,
  type Commit,
  type Dependency,
  DependencyTimeout,
  DependencyUnavailable,
  type DialCommand,
  type DialOutcome,
  housekeepingWakeups,
  type PortError,
} from "@carillon/core"
import { Effect } from "effect"
import type { Ports } from "../Ports.ts"
import type { Breakable, FaultMode, Faults } from "./Fault.ts"

/** The public name that each dependency fails under. */
const failsAs: Readonly<Record<Exclude<Breakable, "telephony">, Dependency>> = {
  key_store: "api_key_store",
  rate_limit_store: "rate_limit_store",
  slot_store: "slot_store",
  call_store: "call_storage",
  agent_store: "agent_service",
  scheduler: "scheduling_service",
  account: "account_service",
  knowledge_index: "knowledge_index",
}

const failure = (dependency: keyof typeof failsAs, mode: FaultMode): PortError =>
  mode === "timeout"
    ? new DependencyTimeout({ dependency: failsAs[dependency] })
    : new DependencyUnavailable({ dependency: failsAs[dependency] })

/** Where the rows of a change are kept. */
const keptIn = (change: Change): keyof typeof failsAs => {
  const kind = change.put === "removal" ? change.kind : change.put
  switch (kind) {
    case "knowledge_base":
    case "knowledge_upload":
      return "knowledge_index"
    case "call":
    case "call_media":
      return "call_store"
    case "api_key":
      return "key_store"
    case "agent":
      return "agent_store"
    case "debit":
    case "organization":
    case "phone_number":
    case "platform":
      return "account"
  }
}

/** What a commit needs. The debit of a call travels with the call. */
const neededBy = ({ changes }: Commit): ReadonlySet<keyof typeof failsAs> =>
  new Set(changes.filter(({ put }) => put !== "debit").map(keptIn))

/** The ports with the faults in force between them and the engine. */
export const faultyPorts = (
  ports: Ports,
  faults: Faults,
  /** A dial that the carrier takes without being heard. */
  dialUnheard: (command: DialCommand) => Effect.Effect<DialOutcome>,
): Ports => {
  const guard = <A, E>(dependency: keyof typeof failsAs, use: Effect.Effect<A, E>): Effect.Effect<A, E | PortError> =>
    Effect.suspend((): Effect.Effect<A, E | PortError> => {
      const mode = faults.strike(dependency)
      return mode === null ? use : Effect.fail(failure(dependency, mode))
    })
  const guardCommit = <A, E>(commit: Commit, use: Effect.Effect<A, E>): Effect.Effect<A, E | PortError> => {
    let guarded: Effect.Effect<A, E | PortError> = use
    for (const dependency of neededBy(commit)) guarded = guard(dependency, guarded)
    return guarded
  }
  const { store, calls, agents, keys, accounts, wakeups, slots, rates, telephony } = ports
  const { knowledge, retrieval } = ports
  return {
    ...ports,
    store: {
      commit: (commit) => guardCommit(commit, store.commit(commit)),
      admit: (commit, levels) => guardCommit(commit, store.admit(commit, levels)),
    },
    calls: {
      find: (...args) => guard("call_store", calls.find(...args)),
      locate: (...args) => guard("call_store", calls.locate(...args)),
      media: (...args) => guard("call_store", calls.media(...args)),
      page: (...args) => guard("call_store", calls.page(...args)),
      holding: (...args) => guard("call_store", calls.holding(...args)),
      holders: (...args) => guard("call_store", calls.holders(...args)),
      due: (...args) => guard("call_store", calls.due(...args)),
    },
    agents: {
      find: (...args) => guard("agent_store", agents.find(...args)),
      page: (...args) => guard("agent_store", agents.page(...args)),
      usesKnowledgeBase: (...args) => guard("agent_store", agents.usesKnowledgeBase(...args)),
    },
    keys: {
      findByHash: (...args) => guard("key_store", keys.findByHash(...args)),
      find: (...args) => guard("key_store", keys.find(...args)),
      page: (...args) => guard("key_store", keys.page(...args)),
    },
    accounts: {
      organization: (...args) => guard("account", accounts.organization(...args)),
      platform: guard("account", accounts.platform),
      number: (...args) => guard("account", accounts.number(...args)),
      numbers: (...args) => guard("account", accounts.numbers(...args)),
    },
    knowledge: {
      find: (...args) => guard("knowledge_index", knowledge.find(...args)),
      page: (...args) => guard("knowledge_index", knowledge.page(...args)),
      upload: (...args) => guard("knowledge_index", knowledge.upload(...args)),
      uploads: (...args) => guard("knowledge_index", knowledge.uploads(...args)),
    },
    retrieval: {
      add: (...args) => guard("knowledge_index", retrieval.add(...args)),
      remove: (...args) => guard("knowledge_index", retrieval.remove(...args)),
      search: (...args) => guard("knowledge_index", retrieval.search(...args)),
    },
    wakeups: {
      ...wakeups,
      set: (wakeup) =>
        housekeepingWakeups.has(wakeup.kind) ? wakeups.set(wakeup) : guard("scheduler", wakeups.set(wakeup)),
      claimDue: (...args) => guard("scheduler", wakeups.claimDue(...args)),
    },
    slots: {
      acquire: (...args) => guard("slot_store", slots.acquire(...args)),
      hold: (...args) => guard("slot_store", slots.hold(...args)),
      release: (...args) => guard("slot_store", slots.release(...args)),
      leave: (...args) => guard("slot_store", slots.leave(...args)),
      used: (...args) => guard("slot_store", slots.used(...args)),
      members: (...args) => guard("slot_store", slots.members(...args)),
      restore: (...args) => guard("slot_store", slots.restore(...args)),
      lapse: (...args) => guard("slot_store", slots.lapse(...args)),
    },
    rates: {
      hit: (...args) => guard("rate_limit_store", rates.hit(...args)),
      peek: (...args) => guard("rate_limit_store", rates.peek(...args)),
    },
    telephony: {
      dial: (command) =>
        Effect.suspend((): Effect.Effect<DialOutcome> => {
          const mode = faults.strike("telephony")
          if (mode === null) return telephony.dial(command)
          if (mode === "timeout") return dialUnheard(command)
          return Effect.succeed({ _tag: "Refused", kind: mode === "unreachable" ? "unreachable" : "rejected" })
        }),
      hangup: (...args) =>
        // Whether a request that got no answer arrived cannot be known; here it does not.
        Effect.suspend(() =>
          faults.strike("telephony") === null ? telephony.hangup(...args) : Effect.succeed("Sent"),
        ),
      find: (...args) =>
        Effect.suspend(() =>
          faults.strike("telephony") === null ? telephony.find(...args) : Effect.succeed({ _tag: "NoAnswer" }),
        ),
    },
  }
}
