import { type Route, errorClasses, routes } from "@carillon/api"
import { SchemaAST } from "effect"
import { expect, it } from "vitest"

const isPage = ({ endpoint }: Route): boolean =>
  [...endpoint.success].some(
    ({ ast }) => SchemaAST.isObjects(ast) && ast.propertySignatures.some(({ name }) => name === "pagination"),
  )

const traits = (route: Route): ReadonlyArray<string> => [
  ...(route.idempotent ? ["keyed"] : []),
  ...(isPage(route) ? ["paged"] : []),
  ...(route.successStatuses.includes(302) ? ["redirecting"] : []),
]

const lines = (group: string): ReadonlyArray<string> =>
  routes.flatMap((route) => {
    const [of, name] = route.name.split(".")
    return of === group ? [`    ${name}: "${[route.method, route.path, ...traits(route)].join(" ")}",`] : []
  })

const groups = [...new Set(routes.map(({ name }) => name.split(".")[0] ?? ""))]

/** The first class of each code names it. */
const codes = new Map<number, string>()
for (const { fields, identifier } of errorClasses) {
  const code = fields.error.schema.literal
  if (!codes.has(code)) codes.set(code, identifier)
}

const source = `import type { ErrorCode } from "@carillon/api"

// Made of the contract, and held to it, by \`npm test -- packages/client/test/Operations.test.ts\`; with \`-u\` it is written.

/**
 * Every operation with its method, its path and what a client has to know of it: \`keyed\`, it honours \`Idempotency-Key\`; \`paged\`, it
 * answers pages; \`redirecting\`, it may answer 302.
 */
export const operations = {
${groups.map((group) => [`  ${group}: {`, ...lines(group), "  },"].join("\n")).join("\n")}
} as const

/** Every error code by its name. */
export const errorCodes = {
${[...codes].map(([code, name]) => `  ${name}: ${code},`).join("\n")}
} as const satisfies Readonly<Record<string, ErrorCode>>
`

it("the table of operations says what the contract says", async () => {
  expect(routes.length).toBeGreaterThan(80)
  await expect(source).toMatchFileSnapshot("../src/Operations.ts")
})
