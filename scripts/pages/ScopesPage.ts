import { routes } from "@carillon/api"
import { ScopePolicy } from "@carillon/core/domain"
import { table } from "./Table.ts"

const named = ({ method, path }: (typeof routes)[number]): string => `\`${method} ${path}\``

const sectionOf = (scope: ScopePolicy.Scope): string => {
  const own = routes.filter((route) => route.scope === scope).map((route) => `- ${named(route)}`)
  return `## ${scope}

${ScopePolicy.scopeDescriptions[scope]}.

${own.join("\n")}
`
}

/** The page of the scopes, with the routes that each of them opens. */
export const scopesPage = (): string => `# Scopes

A key may do what its scopes say. \`GET /v2/scopes\` tells what the key that asks has. A route whose scope is missing answers 1102/403.

${table(
  ["Scope", "Allows", "Routes"],
  ScopePolicy.scopes.map((scope) => [
    `[\`${scope}\`](#${scope.replace(":", "-")})`,
    ScopePolicy.scopeDescriptions[scope],
    String(routes.filter((route) => route.scope === scope).length),
  ]),
)}
${ScopePolicy.scopes.map(sectionOf).join("\n")}
## Without a scope

Every key may use these.

${routes
  .filter(({ scope }) => scope === null)
  .map((route) => `- ${named(route)}`)
  .join("\n")}
`
