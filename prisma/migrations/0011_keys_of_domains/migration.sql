-- No foreign key: a key outlives its domain, and can then send nothing.
alter table api_keys add column domain_id uuid;
