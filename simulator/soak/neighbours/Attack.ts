import type { Tenant } from "./Messages.ts"

/** What the attacker has made for itself before it begins. */
export interface Known {
  /** Something of each kind, by the name of the path parameter. */
  readonly parameters: Readonly<Record<string, string>>
  /** Agents of the largest size, once it has made much. */
  readonly agents: ReadonlyArray<string>
}

/** A request as it is sent. */
export interface Shot {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

/**
 * What a tenant makes before an attack: as much as it may have in rows of the largest size, webhooks at endpoints that hang, or hours in which hardly
 * anybody may be called.
 */
export type Needs = "much" | "hanging" | "hours"

/** One way to be a nuisance. */
export interface Attack {
  readonly route: string
  readonly name: string
  /** Files have a bound of their own. */
  readonly hasFiles: boolean
  /** How often it is sent at once. */
  readonly parallel: number
  /** The last byte of its body is never sent; where it has none, its answer is never read. The connections are held until the end of the attack. */
  readonly isHeld: boolean
  readonly needs: Needs | null
  /** What is bad about it stands in its body, of which nothing is read of a stranger. */
  readonly isInBody: boolean
  /** The nth of those that are sent at once. */
  readonly shot: (tenant: Tenant, known: Known, nth: number) => Shot
}
