/** How often each set was added to: what stands for rows that are not there yet. */
export const guards = `
create table carillon.guards (
  kind text collate "C" not null,
  id text collate "C" not null,
  version bigint not null,
  primary key (kind, id)
)
`
