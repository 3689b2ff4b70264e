import { type Rule, unless } from "./Rule.ts"

/** Headers of our own choice on every answer. */
export const responseRules: ReadonlyArray<Rule> = [
  {
    id: "response/content-type",
    clauses: ["RESPONSE-P1"],
    judge: ({ answer }) => {
      if (answer.text === "" || answer.status === 302) return undefined
      const type = answer.header("content-type") ?? "none"
      return unless(/^application\/json(\s*;|$)/i.test(type), "content-type application/json", type)
    },
  },
  {
    id: "response/request-id",
    clauses: ["RESPONSE-P2"],
    judge: ({ answer }) => unless((answer.header("x-request-id") ?? "") !== "", "an x-request-id header", "none"),
  },
  {
    id: "response/no-store",
    clauses: ["RESPONSE-P3"],
    judge: ({ answer }) => {
      const control = answer.header("cache-control") ?? "none"
      return unless(/\bno-store\b/.test(control), "cache-control: no-store", control)
    },
  },
]
