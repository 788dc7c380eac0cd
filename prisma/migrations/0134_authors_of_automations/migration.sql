-- Who wrote the steps, for the one whose change has not seen them.
alter table automation_versions add column author_name text;
