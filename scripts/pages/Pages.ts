import { adminPage } from "./AdminPage.ts"
import { configurationPage } from "./ConfigurationPage.ts"
import { errorsPage } from "./ErrorsPage.ts"
import { eventsPage } from "./EventsPage.ts"
import { limitsPage } from "./LimitsPage.ts"
import { metricsPage } from "./MetricsPage.ts"
import { scopesPage } from "./ScopesPage.ts"
import { serverPage } from "./ServerPage.ts"
import { decisionsPage, specificationPage } from "./SpecificationPages.ts"
import { statusesPage } from "./StatusesPage.ts"

/** The pages of the documentation that follow from the code, by their file in `docs/reference`. */
export const pages: Readonly<Record<string, () => string>> = {
  "admin.md": adminPage,
  "configuration.md": configurationPage,
  "decisions.md": decisionsPage,
  "errors.md": errorsPage,
  "events.md": eventsPage,
  "limits.md": limitsPage,
  "metrics.md": metricsPage,
  "scopes.md": scopesPage,
  "server.md": serverPage,
  "specification.md": specificationPage,
  "statuses.md": statusesPage,
}
