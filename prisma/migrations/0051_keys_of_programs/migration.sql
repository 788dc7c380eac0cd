-- Which program made a key, so that people see what outlives its access. Keys that exist were made by no one that is known.
alter table api_keys add column grant_id uuid;
