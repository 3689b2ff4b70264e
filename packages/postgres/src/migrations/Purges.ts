/** How far the rows of each organization were purged that keeps them for a time. */
export const purges = `
create table carillon.purges (
  organization_id text collate "C" primary key,
  revision integer not null,
  row json not null
)
`
