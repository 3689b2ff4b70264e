import type { Clock, Timer } from "./clock.ts"
import type { Organization } from "./organization.ts"

/** Who wants a line. */
export interface Ask {
  readonly organization: Organization
  readonly agentId: string
  /** The campaign, with a ceiling of its own where it has one. */
  readonly campaign: { readonly id: string; readonly ceiling: number | null } | null
}

/** A line that is held; given back once. */
export interface Line {
  readonly ask: Ask
  held: boolean
}

/** Why there is no line: the first level that is full. */
export interface Full {
  readonly used: number
  readonly max: number
}

interface Waiter {
  readonly ask: Ask
  readonly granted: (line: Line) => void
  timer: Timer | undefined
}

const defaultPlatform = 1000
const defaultOrganization = 20

/** The one pair that counts as not customized. */
const legacy = { organization: 100, per_agent: 5 }

/** The lines at all four levels, and who waits for one. */
export class Lines {
  platform = defaultPlatform
  readonly #clock: Clock
  readonly #used = new Map<string, number>()
  readonly #waiters = new Map<Organization, Array<Waiter>>()
  /** Organizations whose freed lines go to a waiting direct dial next. */
  readonly #campaignsNext = new Set<Organization>()
  readonly #startOne: (organization: Organization) => boolean
  #serving = false
  readonly #toServe = new Set<Organization>()

  constructor(clock: Clock, startOne: (organization: Organization) => boolean) {
    this.#clock = clock
    this.#startOne = startOne
  }

  used(level: string): number {
    return this.#used.get(level) ?? 0
  }

  /** What each level allows. */
  levels({ concurrency }: Organization) {
    const organization = concurrency.organization ?? defaultOrganization
    const { per_agent } = concurrency
    const isLegacy = per_agent === legacy.per_agent && organization === legacy.organization
    const agent = per_agent === null || isLegacy ? organization : Math.min(per_agent, organization)
    return { platform: this.platform, organization, agent }
  }

  /** The first level that is full, or null. */
  full({ agentId, campaign, organization }: Ask): Full | null {
    const levels = this.levels(organization)
    const { enforced } = organization.concurrency
    const checks: Array<readonly [string, number]> = [["platform", levels.platform]]
    if (enforced) {
      checks.push([organization.organization_id, levels.organization])
      if (levels.agent < levels.organization) checks.push([agentId, levels.agent])
    }
    if (campaign !== null && campaign.ceiling !== null) checks.push([campaign.id, campaign.ceiling])
    for (const [level, max] of checks) if (this.used(level) >= max) return { used: this.used(level), max }
    return null
  }

  /** Takes a line at all levels, or at none. */
  take(ask: Ask): Line | null {
    if (this.full(ask) !== null) return null
    this.#count(ask, 1)
    return { ask, held: true }
  }

  release(line: Line): void {
    if (!line.held) return
    line.held = false
    const wasFull = this.used("platform") >= this.platform
    this.#count(line.ask, -1)
    this.serve(line.ask.organization)
    if (wasFull) for (const organization of this.#waiters.keys()) this.serve(organization)
  }

  /** Waits so long for a line. */
  wait(ask: Ask, ms: number, granted: (line: Line) => void, gaveUp: () => void): void {
    const waiter: Waiter = { ask, granted, timer: undefined }
    const queue = this.#waiters.get(ask.organization) ?? []
    this.#waiters.set(ask.organization, queue)
    queue.push(waiter)
    waiter.timer = this.#clock.after(ms, () => {
      this.#drop(waiter)
      gaveUp()
    })
  }

  /** Gives free lines to those who wait: a direct dial and the campaigns in turn. */
  serve(organization: Organization): void {
    this.#toServe.add(organization)
    if (this.#serving) return
    this.#serving = true
    try {
      for (const one of this.#toServe) {
        this.#toServe.delete(one)
        this.#serveOne(one)
      }
    } finally {
      this.#serving = false
    }
  }

  #serveOne(organization: Organization): void {
    for (;;) {
      const direct = () => this.#grantFirst(organization)
      const campaign = () => this.#startOne(organization)
      const campaignsNext = this.#campaignsNext.has(organization)
      const [first, second] = campaignsNext ? [campaign, direct] : [direct, campaign]
      if (first()) {
        if (campaignsNext) this.#campaignsNext.delete(organization)
        else this.#campaignsNext.add(organization)
      } else if (!second()) return
    }
  }

  #grantFirst(organization: Organization): boolean {
    for (const waiter of this.#waiters.get(organization) ?? []) {
      const line = this.take(waiter.ask)
      if (line === null) continue
      this.#drop(waiter)
      waiter.granted(line)
      return true
    }
    return false
  }

  #drop(waiter: Waiter): void {
    this.#clock.cancel(waiter.timer)
    const queue = this.#waiters.get(waiter.ask.organization) ?? []
    const rest = queue.filter((one) => one !== waiter)
    if (rest.length === 0) this.#waiters.delete(waiter.ask.organization)
    else this.#waiters.set(waiter.ask.organization, rest)
  }

  #count({ agentId, campaign, organization }: Ask, step: number): void {
    for (const level of [
      "platform",
      organization.organization_id,
      agentId,
      ...(campaign === null ? [] : [campaign.id]),
    ]) {
      const next = this.used(level) + step
      if (next === 0) this.#used.delete(level)
      else this.#used.set(level, next)
    }
  }
}
