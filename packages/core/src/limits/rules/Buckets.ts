/** The rate-limit buckets and their ceilings by plan (specification, "Request rate"). */

export const buckets = ["calls.create", "executions.list", "knowledge.upload", "default"] as const

export type Bucket = (typeof buckets)[number]

/** Requests per minute, by bucket. */
export type Ceilings = Readonly<Record<Bucket, number>>

/** The ceilings of the specification. */
export const defaultCeilings: Ceilings = {
  "calls.create": 600,
  "executions.list": 600,
  "knowledge.upload": 20,
  default: 1000,
}

/** What each plan raises, by the plan's name; a bucket that a plan leaves out has the default ceiling. */
export type PlanTable = Readonly<Record<string, Partial<Ceilings>>>

/** The table of an engine whose host gives none. */
export const defaultPlans: PlanTable = { standard: defaultCeilings }

/** The ceiling that applies to a bucket; a plan that the table does not know has the defaults. */
export const ceilingFor = (plans: PlanTable, plan: string, bucket: Bucket): number =>
  (Object.hasOwn(plans, plan) ? plans[plan]?.[bucket] : undefined) ?? defaultCeilings[bucket]
