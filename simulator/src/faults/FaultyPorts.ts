import {
  type Dependency,
  DependencyTimeout,
  DependencyUnavailable,
  type DialCommand,
  type DialOutcome,
  type PortError,
} from "@carillon/core"
import {
  type Change,
  type Commit,
  dependencyOfChange,
  dependencyOfGuard,
  descriptions,
  housekeepingWakeups,
  type Ports,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { Fuse } from "../Fuse.ts"
import { type Breakable, breakable, type FaultMode, type Faults } from "./Fault.ts"

/** The public name that each dependency fails under. */
const failsAs: Readonly<Record<Exclude<Breakable, "telephony" | "webhook_network">, Dependency>> = {
  key_store: "api_key_store",
  rate_limit_store: "rate_limit_store",
  slot_store: "slot_store",
  call_store: "call_storage",
  agent_store: "agent_service",
  translation: "translation_service",
  scheduler: "scheduling_service",
  account: "account_service",
  webhook_store: "webhook_store",
  usage: "usage_reporting",
  knowledge_index: "knowledge_index",
}

/** Stores that the decisions and the webhook routes know as away only (1501), however they fail; everything else may time out (1502). */
const onlyAway: ReadonlySet<keyof typeof failsAs> = new Set(["key_store", "webhook_store"])

const failure = (dependency: keyof typeof failsAs, mode: FaultMode): PortError =>
  mode === "timeout" && !onlyAway.has(dependency)
    ? new DependencyTimeout({ dependency: failsAs[dependency] })
    : new DependencyUnavailable({ dependency: failsAs[dependency] })

const hasName = (dependency: Breakable): dependency is keyof typeof failsAs => dependency in failsAs

const named: ReadonlyMap<Dependency, keyof typeof failsAs> = new Map(
  breakable.filter(hasName).map((dependency) => [failsAs[dependency], dependency]),
)

/** Where the rows of a change are kept, if that can be broken here. */
const keptIn = (change: Change): keyof typeof failsAs | undefined => named.get(dependencyOfChange(change))

/** Booking a batch needs the scheduler, as booking a call does. */
const books = (change: Change): boolean => change.put === "batch" && change.row.status === "scheduled"

/** What travels with the call that it is of. */
const travelling: ReadonlySet<Change["put"]> = new Set(["debit", "tally", "usage"])

/** Nor do webhooks hold up a call: its events are written with it, and where they go. */
const travelsWithCall: ReadonlySet<Change["put"]> = new Set([...travelling, "delivery"])

/** What a commit needs. */
const neededBy = ({ changes }: Commit): ReadonlySet<keyof typeof failsAs> => {
  const needed = new Set<keyof typeof failsAs>()
  const isCall = changes.some(({ put }) => put === "call")
  const omitted = isCall ? travelsWithCall : travelling
  for (const change of changes) {
    const kept = omitted.has(change.put) ? undefined : keptIn(change)
    if (kept !== undefined) needed.add(kept)
  }
  if (changes.some(books)) needed.add("scheduler")
  return needed
}

/** Those that can be broken here. */
const breakableOf = (dependencies: ReadonlyArray<Dependency>): ReadonlySet<keyof typeof failsAs> =>
  new Set(dependencies.flatMap((dependency) => named.get(dependency) ?? []))

/** The ports with the faults in force between them and the engine. */
export const faultyPorts = (
  ports: Ports,
  faults: Faults,
  /** A dial that the carrier takes without being heard. */
  dialUnheard: (command: DialCommand) => Effect.Effect<DialOutcome>,
  /** Ends the process before or after any use of them. */
  fuse: Fuse,
  /** What a use of them waits for, so that others get on before it; null where it begins at once. */
  waitFor: (isCommit: boolean) => Effect.Effect<unknown> | null,
): Ports => {
  const outlived = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(use, (answer) => (fuse.step() ? Effect.never : Effect.succeed(answer)))
  /** A process that has ended waits for ever, and does nothing more. */
  const mortal = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend((): Effect.Effect<A, E> => {
      if (fuse.step()) return Effect.never
      return fuse.isLit ? outlived(use) : use
    })
  /** What becomes of a use that begins now: `mortal`, and broken while the dependency is. */
  const begun = <A, E>(dependency: keyof typeof failsAs, use: Effect.Effect<A, E>): Effect.Effect<A, E | PortError> => {
    if (fuse.step()) return Effect.never
    const mode = faults.strike(dependency)
    if (mode !== null) return Effect.fail(failure(dependency, mode))
    return fuse.isLit ? outlived(use) : use
  }
  const atOnce = <A, E>(dependency: keyof typeof failsAs, use: Effect.Effect<A, E>): Effect.Effect<A, E | PortError> =>
    Effect.suspend(() => begun(dependency, use))
  /** A use when its turn comes; in one piece where that is now, because a call comes through here a hundred times. */
  const inTurn = <A, E>(isCommit: boolean, use: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const wait = waitFor(isCommit)
      return wait === null ? use() : Effect.andThen(wait, Effect.suspend(use))
    })
  const guard = <A, E>(dependency: keyof typeof failsAs, use: Effect.Effect<A, E>): Effect.Effect<A, E | PortError> =>
    inTurn(false, () => begun(dependency, use))
  /** The same of a use that needs several: which, is only asked where one of them may be broken. */
  const guardAll = <A, E>(
    neededOf: () => ReadonlySet<keyof typeof failsAs>,
    use: Effect.Effect<A, E>,
    isCommit: boolean,
  ): Effect.Effect<A, E | PortError> =>
    inTurn(isCommit, () => {
      if (faults.areNone && !fuse.isLit) return use
      let guarded: Effect.Effect<A, E | PortError> = use
      for (const dependency of neededOf()) guarded = atOnce(dependency, guarded)
      return guarded
    })
  const guardCommit = <A, E>(commit: Commit, use: Effect.Effect<A, E>) => guardAll(() => neededBy(commit), use, true)
  const { store, calls, callees, campaigns, batches, contacts, tallies, transliterator } = ports
  const { agents, keys, accounts, wakeups, slots, rates, subscriptions, deliveries, telephony } = ports
  const { webhooks } = ports
  const { experiments, numbers, providers, usage, idempotency, knowledge, retrieval } = ports
  return {
    ...ports,
    store: {
      commit: (commit) => guardCommit(commit, store.commit(commit)),
      admit: (commit, levels) => guardCommit(commit, store.admit(commit, levels)),
      rows: (asked) =>
        guardAll(() => breakableOf(asked.map(({ kind }) => descriptions[kind].dependency)), store.rows(asked), false),
      versions: (guards) => guardAll(() => breakableOf(guards.map(dependencyOfGuard)), store.versions(guards), false),
    },
    calls: {
      find: (...args) => guard("call_store", calls.find(...args)),
      locate: (...args) => guard("call_store", calls.locate(...args)),
      media: (...args) => guard("call_store", calls.media(...args)),
      page: (...args) => guard("call_store", calls.page(...args)),
      oldest: (...args) => guard("call_store", calls.oldest(...args)),
      holding: (...args) => guard("call_store", calls.holding(...args)),
      live: (...args) => guard("call_store", calls.live(...args)),
      onNumber: (...args) => guard("call_store", calls.onNumber(...args)),
      watched: (...args) => guard("call_store", calls.watched(...args)),
      holders: (...args) => guard("call_store", calls.holders(...args)),
      due: (...args) => guard("call_store", calls.due(...args)),
      processing: (...args) => guard("call_store", calls.processing(...args)),
    },
    campaigns: {
      find: (...args) => guard("call_store", campaigns.find(...args)),
      locate: (...args) => guard("call_store", campaigns.locate(...args)),
      page: (...args) => guard("call_store", campaigns.page(...args)),
      ending: (...args) => guard("call_store", campaigns.ending(...args)),
      watched: (...args) => guard("call_store", campaigns.watched(...args)),
      callsFrom: (...args) => guard("call_store", campaigns.callsFrom(...args)),
      lastEntry: (...args) => guard("call_store", campaigns.lastEntry(...args)),
      entries: (...args) => guard("call_store", campaigns.entries(...args)),
    },
    batches: {
      find: (...args) => guard("call_store", batches.find(...args)),
      locate: (...args) => guard("call_store", batches.locate(...args)),
      page: (...args) => guard("call_store", batches.page(...args)),
      oldest: (...args) => guard("call_store", batches.oldest(...args)),
      pageOfCampaign: (...args) => guard("call_store", batches.pageOfCampaign(...args)),
      contactsOfCampaign: (...args) => guard("call_store", batches.contactsOfCampaign(...args)),
      movable: (...args) => guard("call_store", batches.movable(...args)),
      movableBytes: (...args) => guard("call_store", batches.movableBytes(...args)),
      callsFrom: (...args) => guard("call_store", batches.callsFrom(...args)),
      unfinished: (...args) => guard("call_store", batches.unfinished(...args)),
    },
    callees: {
      find: (...args) => guard("call_store", callees.find(...args)),
      several: (...args) => guard("call_store", callees.several(...args)),
      suppressed: (...args) => guard("call_store", callees.suppressed(...args)),
      oldest: (...args) => guard("call_store", callees.oldest(...args)),
      known: (...args) => guard("call_store", callees.known(...args)),
      hours: (...args) => guard("call_store", callees.hours(...args)),
    },
    contacts: {
      fill: (...args) => guard("call_store", contacts.fill(...args)),
      replace: (...args) => guard("call_store", contacts.replace(...args)),
      discard: (...args) => contacts.discard(...args),
      find: (...args) => guard("call_store", contacts.find(...args)),
      rows: (...args) => guard("call_store", contacts.rows(...args)),
      next: (...args) => guard("call_store", contacts.next(...args)),
      load: (...args) => guard("call_store", contacts.load(...args)),
      marked: (...args) => guard("call_store", contacts.marked(...args)),
      marks: (...args) => guard("call_store", contacts.marks(...args)),
      times: (...args) => guard("call_store", contacts.times(...args)),
      heirs: (...args) => guard("call_store", contacts.heirs(...args)),
      waitingIn: (...args) => guard("call_store", contacts.waitingIn(...args)),
      waitingForNumbers: (...args) => guard("call_store", contacts.waitingForNumbers(...args)),
    },
    tallies: {
      read: (...args) => guard("call_store", tallies.read(...args)),
    },
    transliterator: {
      unknown: (...args) => guard("translation", transliterator.unknown(...args)),
      transliterate: (...args) => guard("translation", transliterator.transliterate(...args)),
    },
    agents: {
      find: (...args) => guard("agent_store", agents.find(...args)),
      page: (...args) => guard("agent_store", agents.page(...args)),
      list: (...args) => guard("agent_store", agents.list(...args)),
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
      purge: (...args) => guard("call_store", accounts.purge(...args)),
      organizations: (...args) => guard("account", accounts.organizations(...args)),
      number: (...args) => guard("account", accounts.number(...args)),
      numbers: (...args) => guard("account", accounts.numbers(...args)),
      numberCount: (...args) => guard("account", accounts.numberCount(...args)),
      numbersFrom: (...args) => guard("account", accounts.numbersFrom(...args)),
    },
    experiments: {
      find: (...args) => guard("agent_store", experiments.find(...args)),
      active: (...args) => guard("agent_store", experiments.active(...args)),
      page: (...args) => guard("agent_store", experiments.page(...args)),
    },
    numbers: {
      find: (...args) => guard("account", numbers.find(...args)),
      page: (...args) => guard("account", numbers.page(...args)),
      live: (...args) => guard("call_store", numbers.live(...args)),
      binding: (...args) => guard("account", numbers.binding(...args)),
      holders: (...args) => guard("account", numbers.holders(...args)),
      bindingOf: (...args) => guard("account", numbers.bindingOf(...args)),
      bindings: (...args) => guard("account", numbers.bindings(...args)),
    },
    providers: {
      find: (...args) => guard("account", providers.find(...args)),
      page: (...args) => guard("account", providers.page(...args)),
      after: (...args) => guard("account", providers.after(...args)),
    },
    usage: {
      parts: (...args) => guard("usage", usage.parts(...args)),
      edge: (...args) => guard("usage", usage.edge(...args)),
      cells: (...args) => guard("usage", usage.cells(...args)),
    },
    idempotency: {
      begin: (...args) => guard("call_store", idempotency.begin(...args)),
      renew: (...args) => guard("call_store", idempotency.renew(...args)),
      rename: (...args) => guard("call_store", idempotency.rename(...args)),
      keep: (...args) => guard("call_store", idempotency.keep(...args)),
      release: (...args) => guard("call_store", idempotency.release(...args)),
      abandon: (...args) => guard("call_store", idempotency.abandon(...args)),
      forget: (...args) => guard("call_store", idempotency.forget(...args)),
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
      document: (...args) => guard("knowledge_index", retrieval.document(...args)),
      search: (...args) => guard("knowledge_index", retrieval.search(...args)),
    },
    wakeups: {
      ...wakeups,
      complete: (...args) => mortal(wakeups.complete(...args)),
      set: (wakeup) =>
        housekeepingWakeups.has(wakeup.kind) ? mortal(wakeups.set(wakeup)) : guard("scheduler", wakeups.set(wakeup)),
      setAnew: (wakeup) => guard("scheduler", wakeups.setAnew(wakeup)),
      defer: (claim, at) =>
        housekeepingWakeups.has(claim.kind)
          ? mortal(wakeups.defer(claim, at))
          : guard("scheduler", wakeups.defer(claim, at)),
      // The clock stands still until what is due is claimed.
      claimDue: (...args) => atOnce("scheduler", wakeups.claimDue(...args)),
      renew: (...args) => atOnce("scheduler", wakeups.renew(...args)),
    },
    slots: {
      acquire: (...args) => guard("slot_store", slots.acquire(...args)),
      hold: (...args) => guard("slot_store", slots.hold(...args)),
      release: (...args) => guard("slot_store", slots.release(...args)),
      leave: (...args) => guard("slot_store", slots.leave(...args)),
      used: (...args) => guard("slot_store", slots.used(...args)),
      members: (...args) => guard("slot_store", slots.members(...args)),
      restore: (...args) => guard("slot_store", slots.restore(...args)),
      want: (...args) => guard("slot_store", slots.want(...args)),
      lapse: (...args) => guard("slot_store", slots.lapse(...args)),
    },
    rates: {
      hit: (...args) => guard("rate_limit_store", rates.hit(...args)),
      peek: (...args) => guard("rate_limit_store", rates.peek(...args)),
    },
    subscriptions: {
      find: (...args) => guard("webhook_store", subscriptions.find(...args)),
      page: (...args) => guard("webhook_store", subscriptions.page(...args)),
      after: (...args) => guard("webhook_store", subscriptions.after(...args)),
      listeners: (...args) => guard("webhook_store", subscriptions.listeners(...args)),
      fallback: (...args) => guard("webhook_store", subscriptions.fallback(...args)),
    },
    deliveries: {
      event: (...args) => guard("call_store", deliveries.event(...args)),
      waiting: (...args) => guard("call_store", deliveries.waiting(...args)),
      find: (...args) => guard("webhook_store", deliveries.find(...args)),
      locate: (...args) => guard("webhook_store", deliveries.locate(...args)),
      page: (...args) => guard("webhook_store", deliveries.page(...args)),
      oldest: (...args) => guard("webhook_store", deliveries.oldest(...args)),
      standings: (...args) => guard("webhook_store", deliveries.standings(...args)),
      due: (...args) => guard("webhook_store", deliveries.due(...args)),
      kept: (...args) => guard("webhook_store", deliveries.kept(...args)),
      lastKept: guard("webhook_store", deliveries.lastKept),
      expired: (...args) => guard("webhook_store", deliveries.expired(...args)),
    },
    webhooks: { send: (request) => mortal(webhooks.send(request)) },
    telephony: {
      dial: (command) =>
        mortal(
          Effect.suspend((): Effect.Effect<DialOutcome> => {
            const mode = faults.strike("telephony")
            if (mode === null) return telephony.dial(command)
            if (mode === "timeout") return dialUnheard(command)
            return Effect.succeed({ _tag: "Refused", kind: mode === "unreachable" ? "unreachable" : "rejected" })
          }),
        ),
      hangup: (...args) =>
        // Whether a request that got no answer arrived cannot be known; here it does not.
        mortal(
          Effect.suspend(() =>
            faults.strike("telephony") === null ? telephony.hangup(...args) : Effect.succeed("Sent"),
          ),
        ),
      find: (...args) =>
        mortal(
          Effect.suspend(() =>
            faults.strike("telephony") === null ? telephony.find(...args) : Effect.succeed({ _tag: "NoAnswer" }),
          ),
        ),
    },
  }
}
