/**
 * Which database the rows are in: the server, the database in it, and the transaction that wrote this very row. Rows that were copied
 * without the server (a dump, a replica by statements) have this row from another transaction, or are in another database.
 */
export const installation = `
create table carillon.installation (
  installation_id text collate "C" primary key,
  server text collate "C",
  database bigint not null,
  written_by bigint not null
);
`
