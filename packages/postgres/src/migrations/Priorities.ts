/**
 * How early contacts are called that were given a priority: what was handed in of them is as their customer wrote it, and PostgreSQL cannot read
 * each text out of it. No index knows of it: it is asked of the first of each batch alone.
 */
export const priorities = `
alter table carillon.contacts add column priority smallint
`
