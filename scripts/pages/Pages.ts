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
import { stepsPage } from "./StepsPage.ts"

/** The pages of the documentation that follow from the code, by their file in `docs`. */
export const pages: Readonly<Record<string, () => string>> = {
  "reference/admin.md": adminPage,
  "reference/configuration.md": configurationPage,
  "reference/decisions.md": decisionsPage,
  "reference/errors.md": errorsPage,
  "reference/events.md": eventsPage,
  "reference/limits.md": limitsPage,
  "reference/metrics.md": metricsPage,
  "reference/scopes.md": scopesPage,
  "reference/server.md": serverPage,
  "reference/specification.md": specificationPage,
  "reference/statuses.md": statusesPage,
  "internals/steps.md": stepsPage,
}
