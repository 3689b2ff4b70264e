import type { Customer } from "./Protocol.ts"

const dayMs = 24 * 60 * 60 * 1_000
const batchesShown = 50

const json = async (url: string, { key }: Customer, target: string): Promise<unknown> => {
  const answer = await fetch(`${url}${target}`, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** What an organization's figures were on the days before this one, as its customer reads them. Nothing of it may change by a purge. */
export const figuresOf = async (url: string, customer: Customer, now: number): Promise<string> => {
  const today = now - (now % dayMs)
  const range = `from_date=${new Date(today - 30 * dayMs).toISOString()}&to_date=${new Date(today - 1).toISOString()}`
  const campaigns = customer.campaignIds.flatMap((id) => [
    `/v2/campaigns/${id}`,
    `/v2/campaigns/${id}/stats`,
    `/v2/campaigns/${id}/batches?page_size=${batchesShown}`,
  ])
  const usage = ["day", "agent", "campaign"].map((group) => `/v2/usage?${range}&group_by=${group}`)
  const figures: Array<unknown> = []
  for (const target of [...campaigns, ...usage]) figures.push(await json(url, customer, target))
  return JSON.stringify(figures)
}

/** How many calls it lists that were created before a moment. */
export const listedBefore = async (url: string, customer: Customer, moment: number): Promise<number> => {
  const page = await json(url, customer, `/v2/calls?page_size=1&to_date=${new Date(moment).toISOString()}`)
  return Number(Object(page).pagination.total)
}
